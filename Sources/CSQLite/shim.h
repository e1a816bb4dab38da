#ifndef COEXIST_CSQLITE_SHIM_H
#define COEXIST_CSQLITE_SHIM_H

#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int coexist_sqlite3_db_config_bool(sqlite3 *db, int option, int on, int *result) {
    return sqlite3_db_config(db, option, on, result);
}

// The macros behind these two are casts of integers to function pointers, which Swift cannot import.
static inline int coexist_sqlite3_bind_text(sqlite3_stmt *s, int i, const char *p, sqlite3_uint64 n) {
    return sqlite3_bind_text64(s, i, p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int coexist_sqlite3_bind_blob(sqlite3_stmt *s, int i, const void *p, sqlite3_uint64 n) {
    return sqlite3_bind_blob64(s, i, p, n, SQLITE_TRANSIENT);
}
static inline void coexist_sqlite3_result_text(sqlite3_context *c, const char *p, sqlite3_uint64 n) {
    sqlite3_result_text64(c, p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline void coexist_sqlite3_result_blob(sqlite3_context *c, const void *p, sqlite3_uint64 n) {
    sqlite3_result_blob64(c, p, n, SQLITE_TRANSIENT);
}

// The first bytes of the WAL index header (WalIndexHdr), read through the shared-memory method only: opening the -shm
// file here would drop this process' POSIX locks. Returns SQLITE_OK and fills them, or an error code (SQLITE_NOTFOUND: no
// WAL index).
#define COEXIST_WAL_HEADER_WORDS 12
static inline int coexist_sqlite3_wal_header(sqlite3 *db, unsigned *words) {
    sqlite3_file *file = 0;
    volatile void *page = 0;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (rc != SQLITE_OK) return rc;
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return SQLITE_NOTFOUND;
    rc = file->pMethods->xShmMap(file, 0, 32768, 0, &page);
    if (rc != SQLITE_OK) return rc;
    if (!page) return SQLITE_NOTFOUND;
    for (int i = 0; i < COEXIST_WAL_HEADER_WORDS; i++) words[i] = ((volatile unsigned *)page)[i];
    return SQLITE_OK;
}

#endif
