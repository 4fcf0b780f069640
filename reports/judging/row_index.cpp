// SPDX-License-Identifier: MIT
// Sorts the rows by family, metric, variant and size. Texts are compared by address, since equal texts have one.
#include "reports/judging/row_index.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "reports/store/devices.hpp"
#include "reports/store/glob.hpp"

namespace reprise::reports {
namespace {

using address = const std::string*;

address address_of(const shared_text& text) {
  return &text.str();
}

struct entry {
  // Family, metric, variant within its family, size. The metric of a row without number is empty.
  std::array<address, 4> key;
  std::uint32_t run, row;

  auto operator<=>(const entry&) const = default;
};

bool has_glob(const std::string& text) {
  return text.find_first_of("*?[\\") != std::string::npos;
}

// Matches texts against a glob, each distinct text once.
class remembered_glob {
 public:
  explicit remembered_glob(const std::string& glob) : glob_(glob) {}

  bool matches(address text) {
    const auto [at, is_new] = known_.try_emplace(text);
    if (is_new) at->second = matches_glob(glob_, *text);
    return at->second;
  }

 private:
  const std::string& glob_;
  std::unordered_map<address, bool> known_;
};

// A part of an id; of each id it is made once.
class parts {
 public:
  explicit parts(std::string_view (*part_of)(std::string_view)) : part_of_(part_of) {}

  address of(const shared_text& id) {
    const auto [at, is_new] = known_.try_emplace(address_of(id));
    if (is_new) at->second = address_of(shared_text(part_of_(id)));
    return at->second;
  }

 private:
  std::string_view (*part_of_)(std::string_view);
  std::unordered_map<address, address> known_;
};

// A device's rank in a run; each id is looked up once.
class ranks {
 public:
  ranks(const run& from, const row_index::device_filter& is_first) : from_(from), is_first_(is_first) {}

  std::size_t of(const shared_text& id) {
    const auto [at, is_new] = known_.try_emplace(address_of(id));
    if (is_new) at->second = device_rank(from_, id) + (is_first_(id) ? 0 : after_all);
    return at->second;
  }

 private:
  static constexpr std::size_t after_all = 1u << 20;
  const run& from_;
  const row_index::device_filter& is_first_;
  std::unordered_map<address, std::size_t> known_;
};

// Which devices of a run are processors that run a GPU's code; each id is looked up once.
class processors_of {
 public:
  explicit processors_of(const run& from) : from_(from) {}

  bool runs_code_of_gpus(const shared_text& id) {
    const auto [at, is_new] = known_.try_emplace(address_of(id));
    if (is_new) at->second = id.str().find(':') != std::string::npos && is_processor(from_, id.str());
    return at->second;
  }

 private:
  const run& from_;
  std::unordered_map<address, bool> known_;
};

// Cases by their fields, without a copy of these.
struct case_hash {
  std::size_t operator()(const case_id* id) const { return std::hash<case_id>()(*id); }
};
struct equal_case {
  bool operator()(const case_id* a, const case_id* b) const { return same_case(*a, *b); }
};
using case_set = std::unordered_set<const case_id*, case_hash, equal_case>;

}  // namespace

struct row_index::contents {
  std::span<const run> runs;
  device_filter is_first;
  std::vector<entry> right, without_number;
  std::vector<std::size_t> kinds;  // of the runs' machines
  std::vector<std::size_t> order_of_kinds;
  mutable std::map<const run*, case_set> with_number;  // filled when a run is first asked for

  std::vector<candidate> candidates(std::vector<entry> chosen) const {
    std::ranges::sort(chosen, [](const entry& a, const entry& b) {
      return std::pair(a.run, a.row) < std::pair(b.run, b.row);
    });
    std::map<std::uint32_t, ranks> known;
    std::vector<candidate> found;
    for (const auto& e : chosen) {
      const auto& from = runs[e.run];
      const auto& r = from.rows[e.row];
      const auto device = known.try_emplace(e.run, from, is_first).first->second.of(r.device);
      found.push_back({&r, &from, e.run, device});
    }
    return found;
  }
};

row_index::row_index(std::span<const run> runs) : row_index(runs, [](const std::string&) { return true; }) {}

row_index::row_index(std::span<const run> runs, const device_filter& is_first) {
  auto made = std::make_shared<contents>();
  made->runs = runs;
  made->is_first = is_first;
  made->kinds = reports::kinds_of_machines(runs);
  for (const bool is_with_gpu : {true, false}) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool is_known =
          std::ranges::find(made->order_of_kinds, made->kinds[i]) != made->order_of_kinds.end();
      if (!is_known && (has_gpu(runs[i]) || !is_with_gpu)) made->order_of_kinds.push_back(made->kinds[i]);
    }
  }
  parts families(family_of), variants(short_name);
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    processors_of on_processor(runs[i]);
    for (std::uint32_t k = 0; k < runs[i].rows.size(); ++k) {
      const auto& r = runs[i].rows[k];
      const bool is_right =
          r.status == "ok" && !(depends_on_time(r.metric.str()) && on_processor.runs_code_of_gpus(r.device));
      const auto metric = address_of(is_right ? r.metric : shared_text());
      (is_right ? made->right : made->without_number)
          .push_back({{families.of(r.experiment), metric, variants.of(r.variant), address_of(r.size)}, i, k});
    }
  }
  std::ranges::sort(made->right);
  std::ranges::sort(made->without_number);
  contents_ = std::move(made);
}

std::size_t row_index::kind_of_machine(const run& of) const {
  return contents_->kinds[static_cast<std::size_t>(&of - contents_->runs.data())];
}

const std::vector<std::size_t>& row_index::kinds_of_machines() const {
  return contents_->order_of_kinds;
}

std::size_t row_index::runs() const {
  return contents_->runs.size();
}

namespace {

// The entries with these first texts of the key.
template <std::size_t Count>
std::span<const entry> part_of(std::span<const entry> all, const std::array<address, Count>& first) {
  const auto head = [](const entry& e) {
    std::array<address, Count> key;
    std::copy_n(e.key.begin(), Count, key.begin());
    return key;
  };
  const auto found = std::ranges::equal_range(all, first, {}, head);
  return {found.begin(), found.end()};
}

std::vector<entry> matching(std::span<const entry> all, const std::string& variant, const std::string& size) {
  remembered_glob variants(variant), sizes(size);
  std::vector<entry> chosen;
  for (const auto& e : all) {
    if (variants.matches(e.key[2]) && sizes.matches(e.key[3])) chosen.push_back(e);
  }
  return chosen;
}

}  // namespace

std::vector<candidate> row_index::right(std::string_view family, std::string_view metric,
                                        const std::string& variant, const std::string& size) const {
  const auto word = address_of(shared_text(family));
  const auto of = address_of(shared_text(metric));
  const std::span<const entry> all = contents_->right;
  if (has_glob(variant)) return contents_->candidates(matching(part_of<2>(all, {word, of}), variant, size));
  const auto id = address_of(shared_text(variant));
  if (has_glob(size)) return contents_->candidates(matching(part_of<3>(all, {word, of, id}), variant, size));
  const auto same = part_of<4>(all, {word, of, id, address_of(shared_text(size))});
  return contents_->candidates({same.begin(), same.end()});
}

std::vector<candidate> row_index::without_number(std::string_view family, const std::string& variant) const {
  const auto word = address_of(shared_text(family));
  const std::string any = "*";
  return contents_->candidates(
      matching(part_of<1>(std::span<const entry>(contents_->without_number), {word}), variant, any));
}

bool row_index::has_number(const candidate& of) const {
  const auto [at, is_new] = contents_->with_number.try_emplace(of.from);
  if (is_new) {
    for (const auto& r : of.from->rows)
      if (r.status == "ok") at->second.insert(&r);
  }
  return at->second.contains(of.data);
}

}  // namespace reprise::reports
