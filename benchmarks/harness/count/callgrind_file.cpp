// SPDX-License-Identifier: MIT
// Callgrind's format: lines of costs belong to the function that the last "fn=" line names; a line that follows "calls=" is the
// cost of the called function with all that it calls, which is counted there too. "(7) name" gives a name a number, "(7)" repeats it.
#include "benchmarks/harness/count/callgrind_file.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <set>
#include <vector>

#include "solvers/common/base/error.hpp"

namespace reprise::counting {
namespace {

const std::set<std::string, std::less<>> allocating{"malloc",         "calloc",   "realloc",
                                                    "posix_memalign", "memalign", "aligned_alloc"};

bool is_of_allocator(const std::string& function) {
  return function == "free" || allocating.contains(function);
}

class reader {
 public:
  callgrind_counts read(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++number_;
      line(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (columns_.empty()) fail("there is no line of events");
    return std::move(counts_);
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw bad_input(fmt::format("Callgrind's output cannot be read: line {}: {}", number_, what));
  }

  void line(std::string_view text) {
    if (text.empty() || text[0] == '#') return;
    if (const bool is_cost = std::string_view("0123456789+-*").find(text[0]) != std::string_view::npos;
        is_cost)
      return cost(text);
    const auto after = [&](std::string_view head) { return text.substr(head.size()); };
    if (text.starts_with("events:"))
      events(after("events:"));
    else if (text.starts_with("fn="))
      in_function(name(after("fn=")));
    else if (text.starts_with("cfn="))
      called_ = name(after("cfn="));
    else if (text.starts_with("calls="))
      calls(after("calls="));
  }

  void in_function(const std::string& named) {
    function_ = &counts_.functions[named];
    is_in_allocator_ = is_of_allocator(named);
  }

  void events(std::string_view text) {
    columns_.clear();
    for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      columns_.emplace_back(text.substr(at, end - at));
      at = text.find_first_not_of(' ', end);
    }
  }

  std::string name(std::string_view text) {
    const std::size_t close = text.find(')');
    if (!text.starts_with('(') || close == std::string_view::npos) return std::string(text);
    std::string& known = names_[std::string(text.substr(0, close + 1))];
    if (close + 2 <= text.size()) known = text.substr(close + 2);
    if (known.empty()) fail("a function's number is unknown");
    return known;
  }

  static std::int64_t whole(std::string_view text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc{} && value >= 0 ? value : -1;
  }

  void calls(std::string_view text) {
    const std::int64_t count = whole(text);
    if (count < 0) fail("a number of calls is none");
    if (allocating.contains(called_)) counts_.allocations += count;
    is_called_cost_ = true;
  }

  // "POSITION COST COST ..."; costs that are zero may be left out at the end.
  void cost(std::string_view text) {
    if (function_ == nullptr) fail("a cost belongs to no function");
    std::size_t at = text.find(' ');
    for (std::size_t column = 0; at != std::string_view::npos; ++column) {
      const std::size_t begin = text.find_first_not_of(' ', at);
      if (begin == std::string_view::npos) break;
      if (column >= columns_.size()) fail("there are more costs than events");
      at = text.find(' ', begin);
      const std::int64_t value = whole(text.substr(begin, at - begin));
      if (value < 0) fail("a cost is no number");
      if (!is_called_cost_)
        add(columns_[column], value);
      else if (columns_[column] == "Ir" && is_of_allocator(called_) && !is_in_allocator_)
        counts_.instructions -= value;
    }
    is_called_cost_ = false;
  }

  void add(const std::string& event, std::int64_t value) {
    if (event == "Ir") {
      counts_.instructions += value;
      *function_ += value;
    } else if (event == "Bc" || event == "Bi") {
      counts_.branches += value;
    } else if (event == "Bcm" || event == "Bim") {
      counts_.mispredicted += value;
    } else if (event == "I1mr" || event == "D1mr" || event == "D1mw") {
      counts_.misses_of_first += value;
    } else if (event == "ILmr" || event == "DLmr" || event == "DLmw") {
      counts_.misses_of_last += value;
    }
  }

  callgrind_counts counts_;
  std::vector<std::string> columns_;
  std::map<std::string, std::string> names_;
  std::int64_t* function_{};
  std::string called_;
  bool is_in_allocator_{};
  bool is_called_cost_{};
  long number_{};
};

}  // namespace

callgrind_counts read_callgrind(std::string_view text) {
  return reader().read(text);
}

}  // namespace reprise::counting
