// SPDX-License-Identifier: MIT
// Writes a run's folder. Rows are written before run.json, so that a kill leaves at most lines that run.json
// does not record yet. Before that, run.json announces the length after the append, because a kill during the
// write may leave only some of a case's rows, and the case would then pass for measured. Fields are written
// and recorded before the rows, so that no row lacks its fields and no recorded file is written again.
#include "reports/store/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "reports/store/files.hpp"
#include "reports/store/refusal.hpp"
#include "reports/store/run.hpp"
#include "reports/store/seal.hpp"
#include "reports/store/sha256.hpp"
#include "reports/store/soundness.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

// A hidden name, which no glob for results matches.
constexpr auto lock_name = ".lock";

nlohmann::json to_json(const file_record& r) {
  nlohmann::json object{{"bytes", r.bytes}, {"sha256", r.sha256}};
  if (r.announced > 0) {
    object["announced"] = r.announced;
    object["announced_sha256"] = r.announced_sha256;
  }
  return object;
}

// One of the two row files: it only grows, by complete lines.
class growing_file {
 public:
  growing_file(std::filesystem::path path, int flags) : path_(std::move(path)) {
    file_ = descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0666));
    if (file_.get() < 0)
      refuse_file(path_, "cannot be written: {}; choose a folder that you may write to",
                  std::strerror(errno));
  }

  // Takes over the file's present content and cuts off the rest.
  void adopt(std::string_view content) {
    truncate(content.size());
    accept(content);
  }

  // Removes a partial line after a failure, because the next append would continue it.
  void write(std::string_view lines) {
    try {
      write_all(file_, lines, path_);
      if (::fsync(file_.get()) != 0) throw_errno("fsync", path_);
    } catch (...) {
      take_back();
      throw;
    }
  }

  // Undoes a write that is not accepted yet. If that fails too, a resume will cut off the partial line.
  void take_back() noexcept { [[maybe_unused]] const int result = ::ftruncate(file_.get(), length()); }

  void accept(std::string_view lines) {
    hash_.update(lines);
    bytes_ += lines.size();
  }

  // `next` are the lines that the next write will append.
  nlohmann::json record(std::string_view next = {}) const {
    if (next.empty()) return to_json({bytes_, hash_.hex(), 0, ""});
    auto after = hash_;
    after.update(next);
    return to_json({bytes_, hash_.hex(), bytes_ + next.size(), after.hex()});
  }

 private:
  void truncate(std::size_t bytes) {
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) throw_errno("ftruncate", path_);
  }
  off_t length() const { return static_cast<off_t>(bytes_); }

  std::filesystem::path path_;
  descriptor file_;
  std::size_t bytes_{};
  sha256 hash_;
};

descriptor lock(const std::filesystem::path& folder) {
  const auto file = folder / lock_name;
  descriptor held(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (held.get() < 0)
    refuse_file(folder, "cannot be written: {}; choose a folder that you may write to", std::strerror(errno));
  // Some cluster file systems offer no locks; measuring without one is better than refusing.
  if (::flock(held.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse_file(folder, "another process is writing to this run; wait for it or choose another folder");
  return held;
}

// Whether the file was left by a start that was killed before it wrote run.json: it contains no rows.
bool is_left_by_a_start(const std::filesystem::directory_entry& entry) {
  const auto name = entry.path().filename();
  std::error_code code;
  if (!std::filesystem::is_regular_file(entry.symlink_status(code))) return false;
  if (name == rows_name) return entry.file_size(code) <= row_header().size();
  if (name == samples_name) return entry.file_size(code) <= sample_header().size();
  return name == lock_name || name == description_name + std::string(temporary_ending);
}

void require_empty(const std::filesystem::path& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (is_left_by_a_start(entry)) continue;
    refuse_file(folder, "is not empty; choose a new folder, or continue an interrupted run with --resume");
  }
  if (code) refuse_file(folder, "cannot be read: {}; choose another folder", code.message());
}

std::filesystem::path make_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code || !std::filesystem::is_directory(folder, code))
    refuse_file(folder, "cannot be made: {}; choose another folder",
                code ? code.message() : "a file of that name is in the way");
  return std::filesystem::absolute(folder);
}

void check(const row& r) {
  const auto flaw =
      is_known_status(r.status) ? flaw_of(r) : fmt::format("\"{}\" is no status", r.status.str());
  if (!flaw.empty())
    throw error(fmt::format("append of {} {} {}: {}", r.experiment, r.variant, r.metric, flaw));
}

// The samples' text up to the first sample of a case whose rows were never written.
std::string_view without_orphans(const run_contents& contents) {
  const std::string_view text = contents.samples_text;
  std::unordered_set<case_id> measured(contents.rows.begin(), contents.rows.end());
  const auto recorded = static_cast<std::size_t>(contents.samples_recorded);
  const auto beyond =
      parse_samples(contents.folder / samples_name, sample_header() + std::string(text.substr(recorded)));
  auto end = recorded;
  for (const auto& s : beyond) {
    if (!measured.contains(s)) return text.substr(0, end);
    end = text.find('\n', end) + 1;
  }
  return text;
}

}  // namespace

struct run_folder::state {
  state(std::filesystem::path path, descriptor held, nlohmann::json text)
      : folder(std::move(path)), lock(std::move(held)), description(std::move(text)) {}

  void open_files(int flags) {
    rows_file.emplace(folder / rows_name, flags);
    samples_file.emplace(folder / samples_name, flags);
  }

  nlohmann::json document(std::string_view rows_to_come = {}) const {
    auto whole = description;
    whole["schema"] = schema_version;
    auto& files = whole["files"] = nlohmann::json::object();
    for (const auto& [path, record] : field_records) files[path] = to_json(record);
    files[rows_name] = rows_file->record(rows_to_come);
    files[samples_name] = samples_file->record();
    return whole;
  }

  void write_description(std::string_view rows_to_come = {}) const {
    replace_file(folder / description_name, to_text(document(rows_to_come)));
  }

  void require_open() const {
    if (is_finished) throw error(fmt::format("{}: the run is finished and sealed", folder.string()));
  }

  // Throws error if one of the rows' numbers is there already, or the samples of one are not its own.
  void check(std::span<const row> more, std::span<const sample> samples) const {
    std::set<number_id> own;
    for (const auto& r : more) {
      reports::check(r);
      std::vector<sample> of_row;
      std::ranges::copy_if(samples, std::back_inserter(of_row),
                           [&](const sample& s) { return static_cast<const number_id&>(s) == r; });
      auto flaw = of_row.empty() ? std::string() : flaw_of(r, of_row);
      if (numbers.contains(r) || !own.insert(r).second) flaw = "it is there already";
      if (!flaw.empty())
        throw error(fmt::format("append of {} {} {}: {}", r.experiment, r.variant, r.metric, flaw));
    }
  }

  void remember(std::span<const row> more) {
    rows.insert(rows.end(), more.begin(), more.end());
    numbers.insert(more.begin(), more.end());
  }

  void remove_reserved_keys() {
    description.erase("schema");
    description.erase("files");
  }

  void check(std::span<const field> fields, std::span<const row> of) const {
    std::set<std::string> paths;
    for (const auto& f : fields) {
      const auto path = field_path(file_name_of(f));
      auto flaw = flaw_of(f);
      if (std::ranges::none_of(of, [&](const row& r) { return same_case(f, r); })) {
        flaw = "none of the rows is of its case";
      } else if (field_records.contains(path) || !paths.insert(path).second) {
        flaw = "it is recorded already";
      }
      if (!flaw.empty()) {
        throw error(fmt::format("append of field {} of {} {}: {}", f.name, f.experiment, f.variant, flaw));
      }
    }
  }

  void write(std::span<const field> fields) {
    for (const auto& f : fields) {
      write(field_path(file_name_of(f)), to_csv(thinned(f)));
      if (f.exact) write(array_path(array_name_of(f)), to_npy(*f.exact));
    }
  }

  // The path is below the run's folder.
  void write(const std::string& path, const std::string& contents) {
    const auto file = folder / path;
    std::error_code code;  // ignored: writing the file reports the error
    if (std::filesystem::create_directory(file.parent_path(), code)) sync_folder(folder);
    replace_file(file, contents);
    field_records[path] = {contents.size(), sha256_of(contents)};
  }

  // Undoes a failed append. If that fails too, a resume will undo it.
  void take_back(std::span<const field> fields) noexcept {
    samples_file->take_back();
    try {
      for (const auto& f : fields) {
        field_records.erase(field_path(file_name_of(f)));
        field_records.erase(array_path(array_name_of(f)));
      }
      write_description();
    } catch (...) {
    }
  }

  std::filesystem::path folder;
  descriptor lock;
  std::optional<growing_file> rows_file;  // none of a finished run, which may be packed
  std::optional<growing_file> samples_file;
  nlohmann::json description;
  std::map<std::string, file_record> field_records;  // of fields and arrays, by path below the folder
  std::vector<row> rows;
  std::unordered_set<number_id> numbers;  // of the rows
  bool is_finished{};
};

run_folder::run_folder(std::unique_ptr<state> s) : state_(std::move(s)) {}
run_folder::run_folder(run_folder&&) noexcept = default;
run_folder& run_folder::operator=(run_folder&&) noexcept = default;
run_folder::~run_folder() = default;

run_folder run_folder::create(const std::filesystem::path& folder, nlohmann::json description) {
  const auto path = make_folder(folder);
  require_empty(path);  // checked before locking, so that no foreign folder gets a lock file
  auto held = reports::lock(path);
  require_empty(path);
  if (!description.is_object()) description = nlohmann::json::object();
  auto created = std::make_unique<state>(path, std::move(held), std::move(description));
  created->open_files(O_CREAT | O_TRUNC);
  created->remove_reserved_keys();
  for (const auto& [file, header] :
       {std::pair(&*created->rows_file, row_header()), std::pair(&*created->samples_file, sample_header())}) {
    file->write(header);
    file->accept(header);
  }
  created->write_description();
  return run_folder(std::move(created));
}

run_folder run_folder::resume(const std::filesystem::path& folder) {
  require_run_folder(folder);
  const auto path = std::filesystem::absolute(folder);
  auto held = reports::lock(path);
  auto contents = read_contents(path);
  const bool is_finished = reports::is_finished(contents);
  if (!is_finished && contents.schema != schema_version)
    refuse_file(path,
                "was begun by an older program (schema {}), which alone can continue it; start a new run",
                contents.schema);
  auto opened = std::make_unique<state>(path, std::move(held), std::move(*contents.description));
  if (!is_finished) {
    opened->open_files(0);
    opened->rows_file->adopt(contents.rows_text);
    opened->samples_file->adopt(without_orphans(contents));
  }
  opened->remember(contents.rows);
  opened->field_records = std::move(contents.field_records);
  opened->is_finished = is_finished;
  if (!is_finished) opened->write_description();
  return run_folder(std::move(opened));
}

void run_folder::append(std::span<const row> rows, std::span<const sample> samples,
                        std::span<const field> fields) {
  state_->require_open();
  state_->check(rows, samples);
  state_->check(fields, rows);
  const auto row_lines = to_csv(rows);
  const auto sample_lines = to_csv(samples);
  // Rows are written last, because a case with rows counts as measured.
  try {
    state_->samples_file->write(sample_lines);
    state_->write(fields);
    state_->write_description(row_lines);
    state_->rows_file->write(row_lines);
  } catch (...) {
    state_->take_back(fields);
    throw;
  }
  state_->samples_file->accept(sample_lines);
  state_->rows_file->accept(row_lines);
  state_->remember(rows);
  state_->write_description();
}

void run_folder::describe(const nlohmann::json& changes) {
  if (!changes.is_object()) throw error("describe: the changes are no JSON object");
  if (changes.contains("finished")) throw error("describe: finish() alone ends a run");
  state_->require_open();
  state_->description.merge_patch(changes);
  state_->remove_reserved_keys();
  state_->write_description();
}

void run_folder::finish(const std::string& when) {
  state_->require_open();
  state_->description["finished"] = when;
  const auto document = state_->document();
  const auto text = to_text(document);
  // The seal comes first: a kill between the two leaves an unfinished run, whose seal means nothing.
  replace_file(state_->folder / seal_name, seal_text(text, document["files"]));
  replace_file(state_->folder / description_name, text);
  state_->is_finished = true;
}

bool run_folder::is_finished() const {
  return state_->is_finished;
}

const nlohmann::json& run_folder::description() const {
  return state_->description;
}

const std::vector<row>& run_folder::rows() const {
  return state_->rows;
}

const std::filesystem::path& run_folder::path() const {
  return state_->folder;
}

}  // namespace reprise::reports
