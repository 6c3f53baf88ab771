/* The plan that a test shares with the library it preloads into the compiler:
 * the call on a file of the watched folder that fails, and how it fails. */
#ifndef TENON_TEST_PROCESS_WRITE_FAULTS_H
#define TENON_TEST_PROCESS_WRITE_FAULTS_H

#include <sys/types.h>

#define WRITE_FAULTS_VARIABLE "TENON_TEST_WRITE_FAULTS"

enum write_fault_kind {
  WRITE_FAULT_NONE,
  WRITE_FAULT_ERROR,  /* the call fails with `number` as errno */
  WRITE_FAULT_SIGNAL, /* sends `number` to the compiler; the call succeeds */
  WRITE_FAULT_KILL,   /* SIGKILL for the compiler and its children */
  WRITE_FAULT_HANG,   /* the call never returns, in a child of the compiler */
};

/* Shared memory of the test, the compiler and its linkers. */
struct write_faults {
  long calls;       /* counted so far, in all processes */
  long at;          /* the call that fails, from 1 */
  int kind;         /* enum write_fault_kind */
  int number;       /* an errno or a signal */
  int lasting;      /* errors: all later calls but renames fail too */
  int fired;        /* true if the call was reached */
  pid_t compiler;   /* the first process of the compilation */
  char call[32];    /* name of the function that failed */
  char folder[256]; /* absolute; files beneath it are watched */
};

#endif /* TENON_TEST_PROCESS_WRITE_FAULTS_H */
