// SPDX-License-Identifier: MIT
// Tests what a report says about a device.
#include "reports/page/devices.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/store/devices.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;

row with_metric(row r, const std::string& metric, double value, const std::string& unit) {
  r.metric = metric;
  r.value = value;
  r.unit = unit;
  return r;
}

// The rows of a case that takes a second.
std::vector<row> case_of(const std::string& variant, const std::string& device, double copying,
                         double arithmetic) {
  const auto r = a_row("table1", variant, device, "8x8", 1);
  return {with_metric(r, "time_1000_sweeps", 1, "s"), with_metric(r, "time_to_solution", 9, "s"),
          with_metric(r, "share_of_copy_roof", copying, "%"),
          with_metric(r, "share_of_flops_roof", arithmetic, "%"),
          with_metric(r, "energy_1000_sweeps", 300, "J")};
}

run on_devices(const std::string& name, std::vector<row> rows, const nlohmann::json& devices,
               double copying) {
  auto r = a_run(rows, name);
  (*r.description)["devices"] = devices;
  (*r.description)["roofs"] = {{{"device", "cuda:0"},
                                {"precision", "single"},
                                {"roof", "copy_roof"},
                                {"unit", "GB/s"},
                                {"value", copying}}};
  return r;
}

const nlohmann::json gpu = {{{"id", "cuda:0"}, {"name", "Board"}},
                            {{"id", "opencl:1"}, {"name", "Board"}},
                            {{"id", "cpu"}, {"name", "Processor"}}};

std::string text_in(const device_summary& d, std::size_t line, std::size_t column) {
  return to_text(d.nearest.lines.at(line).at(column));
}

TEST_CASE("a board has one summary, whatever ways lead to it and whatever runs used it") {
  auto rows = case_of("cuda_simple", "cuda:0", 40, 2);
  for (auto& r : case_of("opencl_simple", "opencl:1", 1, 30)) rows.push_back(r);
  const std::vector runs{on_devices("first", rows, gpu, 4000),
                         on_devices("second", case_of("cuda_simple", "cuda:0", 50, 1), gpu, 4200)};
  const auto all = summarise_devices(shown_rows({}, runs), runs);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "Board");
  CHECK(all[1].name == "Processor");
  CHECK(all[0].runs == std::vector<std::string>{"first", "second"});
  CHECK(all[0].descriptions.size() == 2);
  REQUIRE(all[0].roofs.size() == 1);
  CHECK((all[0].roofs[0].low == 4000 && all[0].roofs[0].high == 4200 && all[0].roofs[0].runs == 2));
  CHECK(all[1].nearest.lines.empty());
}

TEST_CASE("the nearer roof binds, at the case that comes nearest, with the power of the same work") {
  auto rows = case_of("cuda_simple", "cuda:0", 40, 2);
  for (auto& r : case_of("opencl_simple", "opencl:1", 1, 30)) rows.push_back(r);
  const std::vector runs{on_devices("first", rows, gpu, 4000),
                         on_devices("second", case_of("cuda_simple", "cuda:0", 50, 1), gpu, 4200)};
  const auto board = summarise_devices(shown_rows({}, runs), runs).front();
  REQUIRE(board.nearest.lines.size() == 2);
  CHECK(text_in(board, 0, 3) == "memory");
  CHECK(text_in(board, 0, 5) == "50");
  CHECK(text_in(board, 1, 3) == "arithmetic");
  CHECK(text_in(board, 0, 4) == "1");
  CHECK(text_in(board, 0, 8) == "300");
}

TEST_CASE("a page tells OpenCL and OpenGL from CUDA by their names, and boards of one name by their ids") {
  const auto one = on_devices("one", {}, gpu, 1);
  CHECK(device_on_page(one, "cuda:0") == "Board");
  CHECK(device_on_page(one, "opencl:1") == "Board (OpenCL)");
  CHECK(device_on_page(one, "cpu") == "Processor");
  CHECK(device_on_page(one, "cuda:7") == "cuda:7");
  const auto two =
      on_devices("two", {}, {{{"id", "cuda:0"}, {"name", "B"}}, {{"id", "cuda:1"}, {"name", "B"}}}, 1);
  CHECK(device_on_page(two, "cuda:1") == "B (cuda:1)");
}

nlohmann::json device(const std::string& id, const std::string& name, const std::string& driver = "") {
  return {{"id", id}, {"name", name}, {"backend", id.substr(0, id.find(':'))}, {"driver", driver}};
}

run on_machine(const nlohmann::json& threads, const std::vector<nlohmann::json>& devices) {
  auto r = on_devices("one", {}, devices, 1);
  (*r.description)["hardware_threads"] = threads;
  return r;
}

TEST_CASE("machines are of one kind if threads, processors and GPUs agree as far as runs list them") {
  const auto host = device("cpu", "Xeon"), board = device("cuda:0", "H200");
  const std::vector<run> runs{
      on_machine(16, {board}),
      on_machine(16, {host}),
      on_machine(2, {device("cpu", "EPYC"), device("opencl:0", "pthread", "Portable Computing Language 3")}),
      on_machine(16, {device("opencl:0", "H200", "NVIDIA 580")}),
      on_machine(16, {device("cpu", "EPYC"), board}),
      on_machine(16, {device("opencl:0", "A100", "NVIDIA 580")}),
      on_machine(nullptr, {host, board})};

  CHECK(kinds_of_machines(runs) == std::vector<std::size_t>{0, 0, 1, 0, 2, 3, 0});
}

TEST_CASE("a processor is known as such by what runs say of it, whatever code it runs") {
  auto told = device("opencl:3", "Mali");
  told["on_host"] = false;
  auto host = device("opencl:4", "new driver");
  host["on_host"] = true;
  const auto r = on_machine(
      16, {device("cpu", "Xeon"), device("opencl:0", "pthread", "Portable Computing Language 3"),
           device("opencl:1", "H200", "NVIDIA 580"), device("opengl:0", "llvmpipe (LLVM 15)"), told, host});
  for (const auto* id : {"cpu", "opencl:0", "opengl:0", "opencl:4"}) CHECK(is_processor(r, id));
  for (const auto* id : {"opencl:1", "opencl:3", "opencl:9"}) CHECK_FALSE(is_processor(r, id));
  CHECK(has_gpu(r));
  CHECK_FALSE(has_gpu(on_machine(2, {device("cpu", "Xeon"), device("opengl:0", "llvmpipe (LLVM 15)")})));
}

}  // namespace
