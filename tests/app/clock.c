// Shifts the wall clock of a process by the number of seconds in the file CLOCK_SHIFT. If CLOCK_SHIFT_TIMERS is set, the clock
// of timers moves with it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t shift(void) {
    static int file = -1;
    if (file < 0)
        file = open(getenv("CLOCK_SHIFT"), O_RDONLY | O_CLOEXEC);
    char seconds[16] = "";
    return pread(file, seconds, sizeof seconds - 1, 0) > 0 ? atol(seconds) : 0;
}

static int moves_timers(void) {
    static int known = -1;
    if (known < 0)
        known = getenv("CLOCK_SHIFT_TIMERS") != NULL;
    return known;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*original)(clockid_t, struct timespec *);
    if (original == NULL)
        original = dlsym(RTLD_NEXT, "clock_gettime");
    int result = original(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || (clock == CLOCK_MONOTONIC && moves_timers())))
        now->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec time;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL)
        *result = now.tv_sec;
    return now.tv_sec;
}

static struct timespec unshifted(struct timespec deadline) {
    deadline.tv_sec -= shift();
    if (deadline.tv_sec < 0)
        deadline.tv_sec = 0;
    return deadline;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *rest) {
    static int (*original)(clockid_t, int, const struct timespec *, struct timespec *);
    if (original == NULL)
        original = dlsym(RTLD_NEXT, "clock_nanosleep");
    if (clock != CLOCK_MONOTONIC || !(flags & TIMER_ABSTIME) || !moves_timers())
        return original(clock, flags, request, rest);
    struct timespec deadline = unshifted(*request);
    return original(clock, flags, &deadline, rest);
}

// Threads that wait for each other with a deadline name it by the shifted clock, which the kernel does not know.
long syscall(long number, ...) {
    static long (*original)(long, ...);
    if (original == NULL)
        original = dlsym(RTLD_NEXT, "syscall");
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    struct timespec deadline;
    int is_deadline = number == SYS_futex && (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET &&
                      !(arguments[1] & FUTEX_CLOCK_REALTIME) && arguments[3] != 0;
    if (is_deadline && moves_timers()) {
        deadline = unshifted(*(struct timespec *)arguments[3]);
        arguments[3] = (long)&deadline;
    }
    return original(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
