#include "CTasks.h"

#include <stddef.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void enqueue_original(void *job);

// Exported by the runtime for this purpose (swift/Runtime/Concurrency.h).
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_original *original);
extern SWIFT_CALL void swift_job_run(void *job, void *executor, void *implementation);

static void (*take)(void *job);

static SWIFT_CALL void enqueue(void *job, enqueue_original *original) {
  (void)original;
  take(job);
}

void tasks_redirect(void (*enqueue_job)(void *job)) {
  take = enqueue_job;
  swift_task_enqueueGlobal_hook = enqueue;
}

// Two null pointers are the global executor.
void tasks_run(void *job) { swift_job_run(job, NULL, NULL); }
