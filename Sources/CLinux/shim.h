#ifndef COEXIST_CLINUX_SHIM_H
#define COEXIST_CLINUX_SHIM_H

// What the toolchain's Glibc module leaves out: waiting on a word of memory that processes share (syscall(2) is
// variadic), locks that belong to an open file (they need _GNU_SOURCE), the kind of a file system, and renaming to a name
// that nobody has.

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>

#define COEXIST_F_OFD_GETLK 36
#define COEXIST_F_OFD_SETLK 37

extern long syscall(long number, ...);

// The kernel's number of a file system's kind (linux/magic.h); 0 where the path cannot be asked.
static inline uint64_t coexist_file_system_kind(const char *path) {
    struct statfs info;
    return statfs(path, &info) == 0 ? (uint64_t)info.f_type & 0xffffffffu : 0;
}

// Renames unless something has the new name: then errno is EEXIST.
static inline int coexist_rename_new(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */);
}

// Sleeps while *word is `expected`, until a wake whose bits meet these, or the time of CLOCK_MONOTONIC.
static inline void coexist_futex_wait(uint32_t *word, uint32_t expected, uint64_t until_nanoseconds, uint32_t bits) {
    struct timespec until = {(time_t)(until_nanoseconds / 1000000000u), (long)(until_nanoseconds % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, &until, 0, bits);
}

static inline void coexist_futex_wake(uint32_t *word, uint32_t bits) {
    syscall(SYS_futex, word, FUTEX_WAKE_BITSET, INT_MAX, 0, 0, bits);
}

// Who has, or had, a ticket. Written without a lock: a reader looks at `ticket` before and after.
struct coexist_queue_slot {
    uint64_t ticket;
    uint64_t since_nanoseconds; // CLOCK_REALTIME, when the write lock was got; 0 before
    int32_t pid;
    uint32_t label_length;
    char label[100];
    uint32_t pid_namespace; // that the pid counts in: the inode of /proc/self/ns/pid; 0 where it cannot be seen
};

#define COEXIST_QUEUE_SLOTS 63

// The whole of the queue's file.
struct coexist_queue_page {
    uint64_t tickets; // the last that was given out
    uint64_t skipped; // tickets up to this one are waited for by nobody: their holders did not move
    uint32_t departures; // grows whenever somebody leaves; what waiters sleep on
    uint32_t sleepers;
    char reserved[104];
    struct coexist_queue_slot slots[COEXIST_QUEUE_SLOTS];
};

static inline uint64_t coexist_queue_next_ticket(struct coexist_queue_page *page) {
    return __atomic_add_fetch(&page->tickets, 1, __ATOMIC_SEQ_CST);
}

static inline uint64_t coexist_queue_skipped(struct coexist_queue_page *page) {
    return __atomic_load_n(&page->skipped, __ATOMIC_SEQ_CST);
}

static inline void coexist_queue_skip(struct coexist_queue_page *page, uint64_t ticket) {
    uint64_t now = __atomic_load_n(&page->skipped, __ATOMIC_SEQ_CST);
    while (now < ticket && !__atomic_compare_exchange_n(
        &page->skipped, &now, ticket, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
}

static inline uint32_t coexist_queue_departures(struct coexist_queue_page *page) {
    return __atomic_load_n(&page->departures, __ATOMIC_SEQ_CST);
}

static inline void coexist_queue_sleep(
    struct coexist_queue_page *page, uint32_t departures, uint64_t until_nanoseconds, uint32_t bits
) {
    __atomic_add_fetch(&page->sleepers, 1, __ATOMIC_SEQ_CST);
    coexist_futex_wait(&page->departures, departures, until_nanoseconds, bits);
    __atomic_sub_fetch(&page->sleepers, 1, __ATOMIC_SEQ_CST);
}

// A sleeper that was killed stays counted, which costs wakes that find nobody.
static inline void coexist_queue_depart(struct coexist_queue_page *page, uint32_t bits) {
    __atomic_add_fetch(&page->departures, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&page->sleepers, __ATOMIC_SEQ_CST)) coexist_futex_wake(&page->departures, bits);
}

static inline struct coexist_queue_slot *coexist_queue_slot_at(struct coexist_queue_page *page, uint64_t ticket) {
    return &page->slots[ticket % COEXIST_QUEUE_SLOTS];
}

static inline uint64_t coexist_queue_slot_ticket(struct coexist_queue_slot *slot) {
    return __atomic_load_n(&slot->ticket, __ATOMIC_SEQ_CST);
}

static inline void coexist_queue_slot_set_ticket(struct coexist_queue_slot *slot, uint64_t ticket) {
    __atomic_store_n(&slot->ticket, ticket, __ATOMIC_SEQ_CST);
}

#endif
