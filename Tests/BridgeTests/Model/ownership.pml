/* Ownership, handover and replay of one unit, as Documentation/Ownership.md and Handover.md describe them.

   Every `atomic` block is one SQLite transaction, or one step in memory: nothing comes in between. A writer is an
   embedded instance with one cached row; the daemon has a cache of each stack, hands the unit over and may be killed
   between any two of its steps.

   Checked: the assertions, and that a freeze ends. Each -D below takes one rule away; the model must then fail:
     NO_OWNER_CHECK    a save does not look at the owner
     NO_EPOCH_CHECK    a save does not look at the epoch
     NO_FREEZE_CHECK   a save does not look at the freeze
     NO_VERSION_TEST   a save does not look at the row's version
     NO_REPLAY         a replay takes the epoch, but leaves the cache as it is
     NO_EXPIRY         a replayer behind a purge goes on after it
     NO_THAW           nobody undoes the freeze of a daemon that is gone */

#define LEGACY 0
#define MODEL 1
#define WRITERS 3     /* two instances of one stack, one of the other */
#define SAVES 1       /* of each writer */
#define HANDOVERS 2   /* there and back */

/* The store. */
byte owner = LEGACY, epoch = 1, version = 1, value = 0;
bool frozen = false;
byte last = 0;        /* the last history transaction */
byte floor = 0;       /* transactions up to this one are purged */

/* The daemon's lock goes with its process. */
bool alive = true;

/* What happened, for the assertions. */
byte acknowledged = 0;
byte finished = 0;    /* writers */
bool moving = true;   /* there may be another handover */

/* Takes in what history tells after `position`: the cached row is read anew. */
inline replay(position, cached, cachedVersion, held) {
    if
#ifdef NO_EXPIRY
    :: position < floor -> position = floor
#else
    :: position < floor -> cached = value; cachedVersion = version; position = last
#endif
    :: else
    fi;
    if
    :: position < last ->
#ifndef NO_REPLAY
        cached = value; cachedVersion = version;
#endif
        position = last
    :: else
    fi;
    held = epoch
}

proctype writer(byte stack) {
    byte held = epoch, position = last, cached = value, cachedVersion = version;
    byte done = 0;
    do
    :: done < SAVES && (owner == stack || moving) ->
        atomic {
            if
#ifndef NO_FREEZE_CHECK
#ifdef NO_THAW
            :: frozen -> skip                                   /* Frozen: try again */
#else
            :: frozen && alive -> skip                          /* Frozen: try again */
#endif
#endif
#ifndef NO_OWNER_CHECK
            :: !(frozen && alive) && owner != stack -> replay(position, cached, cachedVersion, held)
#endif
            :: else ->
#ifndef NO_THAW
                if
                :: frozen && !alive -> frozen = false           /* its daemon is gone */
                :: else
                fi;
#endif
                if
#ifndef NO_EPOCH_CHECK
                :: held != epoch -> replay(position, cached, cachedVersion, held)  /* StaleEpoch */
#endif
#ifndef NO_VERSION_TEST
                :: held == epoch && cachedVersion != version -> replay(position, cached, cachedVersion, held)
#endif
                :: else ->
                    assert(owner == stack);
                    assert(!frozen || !alive);
                    assert(held == epoch);
                    /* A save without the version test is one that changes a row that it has not read: then the cache
                       alone must be right. */
                    value = cached + 1;
                    version++;
                    last++;
                    acknowledged++;
                    cached = value; cachedVersion = version;
                    /* Its own transaction is passed over; others' before it are not. */
                    position = (position == last - 1 -> last : position);
                    done++;
                    assert(value == acknowledged)               /* no lost update */
                fi
            fi
        }
    :: done < SAVES && owner != stack && !moving -> done++      /* gives up: the other stack keeps it */
    :: done == SAVES -> break
    od;
    finished++
}

/* A cache of the daemon: position in memory only. */
byte at[2], seen[2];

proctype replayer(byte stack) {
    do
    :: atomic { at[stack] < floor ->
#ifdef NO_EXPIRY
        at[stack] = floor
#else
        seen[stack] = value; at[stack] = last
#endif
       }
    :: atomic { at[stack] >= floor && at[stack] < last -> seen[stack] = value; at[stack] = last }
    :: finished == WRITERS && at[stack] == last -> break
    od;
    assert(seen[stack] == value)                                /* no gap */
}

proctype purger() {
    if
    :: atomic { last > 0 -> floor = last }
    :: finished == WRITERS
    fi
}

proctype handover() {
    byte rounds = 0, seenEpoch, target, frozenAt;
    do
    :: rounds < HANDOVERS ->
        atomic { seenEpoch = epoch; target = 1 - owner; frozen = true; frozenAt = last };
        if
        :: goto killed
        :: skip
        fi;
        at[LEGACY] >= frozenAt && at[MODEL] >= frozenAt;        /* waits for both replayers */
        if
        :: goto killed
        :: skip
        fi;
        atomic {
            if
            :: frozen && epoch == seenEpoch ->
                assert(last == frozenAt);                       /* nothing was written under the freeze */
                assert(seen[LEGACY] == value && seen[MODEL] == value);
                owner = target; epoch++; frozen = false
            :: else -> skip                                     /* thawed meanwhile: refused */
            fi
        };
        rounds++
    :: rounds == HANDOVERS -> break
    od;
    goto done;
killed:
    alive = false;
    if
    :: atomic { frozen = false; alive = true }                  /* the next start */
    :: skip                                                     /* never: the next save undoes it */
    fi;
done:
    moving = false
}

init {
    atomic {
        run writer(LEGACY);
        run writer(LEGACY);
        run writer(MODEL);
        run replayer(LEGACY);
        run replayer(MODEL);
        run purger();
        run handover()
    }
}

/* Every writer comes to an end: its saves are let through, or the other stack has the unit. So a freeze ends too, by the
   switch, the next start, or a save. */
ltl writersFinish { <> (finished == WRITERS) }
