#pragma once

// The functions of the Swift runtime that execute Swift's tasks on threads of the program, instead of on Dispatch's.

/// Passes each job of a task to `enqueue` from now on. Called before the first task is created.
void tasks_redirect(void (*enqueue)(void *job));

/// Executes a job on this thread until it suspends.
void tasks_run(void *job);
