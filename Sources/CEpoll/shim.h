#ifndef COEXIST_CEPOLL_SHIM_H
#define COEXIST_CEPOLL_SHIM_H

// The Glibc module of the toolchain leaves epoll and eventfd out, and hides what needs _GNU_SOURCE.

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Linux's struct ucred, which <sys/socket.h> shows under _GNU_SOURCE only.
struct coexist_ucred {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

#define COEXIST_SO_PEERCRED 17
#define COEXIST_SO_PEERGROUPS 59

extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// Accepts a connection whose descriptor is non-blocking and closed on exec.
static inline int coexist_accept(int socket) {
    return accept4(socket, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

#endif
