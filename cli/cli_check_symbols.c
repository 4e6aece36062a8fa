/* cli_check_symbols.c - functions of the system that a policy module must not call, and what they are for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Time, randomness and words come from the host, so that a run is the same everywhere and a module can be
 * loaded into a scheduler that must not wait.  Memory, text, sorting and mathematics are free.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_check_internal.h"

/* Names divided by blanks; one that ends in * stands for all that begin so. */
static const struct {
    const char *what, *names;
} forbidden[] = {
    {"a clock", "time gettimeofday clock clock_gettime clock_getres clock_nanosleep clock_settime nanosleep "
                "sleep usleep times timespec_get ftime localtime localtime_r mktime tzset getrusage alarm "
                "setitimer getitimer timer_* timerfd_*"},
    {"files or standard output",
     "fopen fdopen freopen fclose fread fwrite fgets fgetc getc getc_unlocked fputs fputc putc puts putchar "
     "printf fprintf vprintf vfprintf dprintf vdprintf scanf fscanf vfscanf perror fflush fseek ftell rewind "
     "remove rename unlink link symlink readlink mkdir rmdir opendir readdir closedir stat lstat fstat "
     "fstatat access tmpfile mkstemp mkdtemp tmpnam open openat creat read write pread pwrite readv writev "
     "lseek close fsync ftruncate truncate mmap munmap mprotect getline getdelim stdin stdout stderr ioctl "
     "fcntl dup dup2 pipe inotify_* syslog openlog err errx warn warnx putchar_unlocked fputs_unlocked "
     "fwrite_unlocked _IO_putc"},
    {"a random source", "rand srand rand_r random srandom random_r srandom_r initstate drand48 erand48 "
                        "lrand48 nrand48 mrand48 jrand48 srand48 seed48 getrandom getentropy arc4random*"},
    {"the environment",
     "getenv secure_getenv setenv putenv unsetenv clearenv environ gethostname getdomainname uname getpid "
     "getppid gettid getuid geteuid getgid getegid getlogin getpwuid getpwnam getcwd chdir sysconf pathconf "
     "get_nprocs get_nprocs_conf sysinfo getauxval getrlimit setrlimit setlocale newlocale uselocale "
     "localeconv"},
    {"threads or processes",
     "pthread_* thrd_* mtx_* cnd_* tss_* sem_* sched_* call_once fork vfork clone clone3 posix_spawn* exec* "
     "fexecve system popen pclose wait waitpid waitid wait3 wait4 kill raise signal sigaction sigprocmask "
     "prctl ptrace mq_* shm_* syscall"},
    {"sockets", "socket socketpair connect bind listen accept accept4 send sendto sendmsg recv recvfrom "
                "recvmsg shutdown getaddrinfo gethostbyname getsockopt setsockopt select pselect poll ppoll "
                "epoll_*"},
    {"the end of the program", "exit _exit _Exit quick_exit atexit at_quick_exit on_exit"},
    {"other libraries", "dlopen dlsym dlvsym dlclose dlmopen dlinfo dladdr"},
};

static bool is_among(const char *names, const char *name, size_t n)
{
    while (*names) {
        size_t k = strcspn(names, " ");
        bool prefix = names[k - 1] == '*';
        if (prefix ? n >= k - 1 && memcmp(names, name, k - 1) == 0 : n == k && memcmp(names, name, k) == 0)
            return true;
        names += k + (names[k] == ' ');
    }
    return false;
}

static const char *look_up(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        if (is_among(forbidden[i].names, name, n))
            return forbidden[i].what;
    return NULL;
}

/* "__fprintf_chk", "__isoc99_fscanf" and "fopen64" are what the library makes of plain names. */
const char *check_forbidden(const char *symbol)
{
    static const char *const before[] = {"__isoc99_", "__isoc23_", "__", ""};
    static const char *const after[] = {"_chk", "64", "_2", ""};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t b = strlen(before[i]), n = strlen(symbol);
        for (size_t k = 0; k < sizeof after / sizeof *after && strncmp(symbol, before[i], b) == 0; k++) {
            size_t a = strlen(after[k]);
            const char *what = NULL;
            if (n > a + b && strcmp(symbol + n - a, after[k]) == 0)
                what = look_up(symbol + b, n - a - b);
            if (what)
                return what;
        }
    }
    return NULL;
}
