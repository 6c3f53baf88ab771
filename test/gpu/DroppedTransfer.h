// Compilations in which one transfer between host and device is left out.
#ifndef TENON_TEST_GPU_DROPPEDTRANSFER_H
#define TENON_TEST_GPU_DROPPEDTRANSFER_H

namespace tenon::test {

/// Which transfer the next compilations leave out, -1: none; and how many the
/// last one had.
struct TransferFault {
  int dropped = -1, count = 0;
};
TransferFault &transferFault();

} // namespace tenon::test

#endif
