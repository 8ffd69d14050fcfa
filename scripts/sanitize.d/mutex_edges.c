// Reports locks to ThreadSanitizer that it can't see.
//
// Synchronization.Mutex acquires a free lock inline, in our instrumented code. It waits for a lock that is held in the
// runtime's library and in the kernel, which are not instrumented. Without the edges from one holder to the next,
// everything that a contended Mutex protects looks like a race. scripts/sanitize preloads these functions before those
// of the library. They call those, and report what was acquired and released. Nothing is suppressed: a race outside of
// a lock is still found.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Missing in the processes of a test run that have no sanitizer.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

typedef SWIFT void (*Lock)(uint32_t thread, SELF);
typedef SWIFT bool (*TryLock)(SELF);
typedef SWIFT void (*Unlock)(SELF);

static Lock lock;
static TryLock try_lock;
static Unlock unlock;

__attribute__((constructor)) static void find(void) {
  lock = (Lock)dlsym(RTLD_NEXT, LOCK_SLOW);
  try_lock = (TryLock)dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
  unlock = (Unlock)dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void lock_slow(uint32_t thread, SELF) {
  lock(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT bool try_lock_slow(SELF) {
  bool taken = try_lock(self);
  if (taken && __tsan_acquire) __tsan_acquire(self);
  return taken;
}

SWIFT void unlock_slow(SELF) __asm__(UNLOCK_SLOW);
SWIFT void unlock_slow(SELF) {
  if (__tsan_release) __tsan_release(self);
  unlock(self);
}
