/* What a test and the library it preloads into the compiler share: which call
 * on a file of the watched folder goes wrong, and how. */
#ifndef TENON_TEST_PROCESS_WRITE_FAULTS_H
#define TENON_TEST_PROCESS_WRITE_FAULTS_H

#include <sys/types.h>

#define WRITE_FAULTS_VARIABLE "TENON_TEST_WRITE_FAULTS"

enum write_fault_kind {
  WRITE_FAULT_NONE,
  WRITE_FAULT_ERROR,  /* the call fails with `number` as errno */
  WRITE_FAULT_SIGNAL, /* `number` is sent to the compiler, the call goes on */
  WRITE_FAULT_KILL,   /* SIGKILL for the compiler and all it has started */
  WRITE_FAULT_HANG, /* the call never returns, if in a child of the compiler */
};

/* Mapped shared by the test, the compiler and the linkers it starts. */
struct write_faults {
  long calls;       /* counted so far, by all of them */
  long at;          /* the call that goes wrong, from 1 */
  int kind;         /* enum write_fault_kind */
  int number;       /* an errno or a signal */
  int lasting;      /* errors: all later calls but renames fail too */
  int in_child;     /* whether it was a child of the compiler that called */
  int fired;        /* whether the call was reached */
  pid_t compiler;   /* who came first */
  char call[32];    /* the function that went wrong */
  char folder[256]; /* absolute; files beneath it are watched */
};

#endif /* TENON_TEST_PROCESS_WRITE_FAULTS_H */
