// SPDX-License-Identifier: MIT
// Tests that blocks do not wait for each other without end.
#include "verification/tests/support/emulation.hpp"

#include <cstdlib>

#include "solvers/common/cuda/mail.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using testing::says;

namespace {

// Block 1 waits for mail that block 0 never sends. If `is_busy`, block 0 never ends either, and writes all the
// time, so that the launch does not look like a deadlock.
__global__ void expect_mail(unsigned long long* boxes, int is_busy, cuda::patience most) {
  float value = 0;
  if (blockIdx.x == 1) cuda::collect(boxes, 7, value, most);
  for (unsigned n = 0; is_busy != 0 && blockIdx.x == 0; ++n) {
    cuda::post(boxes + 1, n, 1.0F);
    cuda::wait<>(most).pause();
  }
}

__global__ void expect_mail_of_other_process(const unsigned long long* box, cuda::patience most) {
  float value = 0;
  cuda::collect<cuda::reach::host>(box, 7, value, most);
}

void launch_without_mail(bool is_busy, double seconds) {
  cuda::buffer<unsigned long long> boxes(2);
  boxes.fill_bytes(0);
  cuda::launch_resident(expect_mail, 2, 1, 0, nullptr, boxes.data(), is_busy ? 1 : 0,
                        cuda::patience_of(seconds));
}

class patience_in_environment {
 public:
  explicit patience_in_environment(const char* text) { setenv("REPRISE_PATIENCE", text, 1); }
  patience_in_environment(const patience_in_environment&) = delete;
  patience_in_environment& operator=(const patience_in_environment&) = delete;
  ~patience_in_environment() { unsetenv("REPRISE_PATIENCE"); }
};

}  // namespace

TEST_CASE("a block whose mail never arrives gives up although another is busy", "[emulation][patience]") {
  CHECK_THROWS_MATCHES(
      launch_without_mail(true, .2), error,
      says("block 1 waited in vain for another block for 0.2 s") && says("REPRISE_PATIENCE"));
}

TEST_CASE("a block whose mail never arrives is a deadlock if no other does anything",
          "[emulation][patience]") {
  CHECK_THROWS_MATCHES(launch_without_mail(false, 1e6), error, says("deadlock"));
}

TEST_CASE(
    "a block gives up whose mail never arrives from another process, of whose work a launch knows nothing",
    "[emulation][patience]") {
  cuda::buffer<unsigned long long> box(1);
  box.fill_bytes(0);
  CHECK_THROWS_MATCHES(cuda::launch_resident(expect_mail_of_other_process, 1, 1, 0, nullptr, box.data(),
                                             cuda::patience_of(.2)),
                       error, says("waited in vain for another block for 0.2 s"));
}

TEST_CASE("the limit of waits comes from the environment", "[emulation][patience]") {
  CHECK(patience_seconds() == 30);
  {
    const patience_in_environment longer("600.5");
    CHECK(patience_seconds() == 600.5);
  }
  for (const char* const text : {"", "0", "-1", "nan", "inf", "30s", "soon", "1e7"}) {
    const patience_in_environment wrong(text);
    CHECK_THROWS_MATCHES(patience_seconds(), bad_input, says("REPRISE_PATIENCE"));
  }
}

TEST_CASE("a kernel's last word names thread and time", "[patience]") {
  const std::string text = sentence_of(last_word(131, 1023, ticks_of(30)));
  CHECK_THAT(text, Catch::Matchers::StartsWith("block 131 waited in vain for another block for 30 s"));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("its thread 1023 "));
  CHECK(last_word(0, 0, 1) != 0);
  CHECK(ticks_of(0) == 1);
  CHECK(ticks_of(1e6) > ticks_of(1e5));
}
