// Shifts the wall clock of a process by the number of seconds in the file CLOCK_SHIFT. Timers are not affected.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*original)(clockid_t, struct timespec *);
    static int file = -1;
    if (original == NULL) {
        file = open(getenv("CLOCK_SHIFT"), O_RDONLY | O_CLOEXEC);
        original = dlsym(RTLD_NEXT, "clock_gettime");
    }
    int result = original(clock, now);
    char seconds[16] = "";
    if (result == 0 && clock == CLOCK_REALTIME && pread(file, seconds, sizeof seconds - 1, 0) > 0)
        now->tv_sec += atol(seconds);
    return result;
}
