/* Constants that the tests share with the hand-written artifact. */
#ifndef TENON_TEST_RUNTIME_HAND_MODEL_H
#define TENON_TEST_RUNTIME_HAND_MODEL_H

#include "runtime/tenon_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Four floats: 0.5 1 1.5 2. */
#define HAND_WEIGHT_BYTES 16
#define HAND_WEIGHT_HASH UINT64_C(0xf325f7f2bf945101)

/* The same model linked in. */
extern const tenon_model_desc tenon_model_hand;

#ifdef __cplusplus
}
#endif

#endif /* TENON_TEST_RUNTIME_HAND_MODEL_H */
