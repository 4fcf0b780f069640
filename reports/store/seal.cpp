// SPDX-License-Identifier: MIT
// Makes and checks seals. The seal repeats run.json's entries about the other files, whose contents are checked
// against run.json, so that only run.json itself is hashed here.
#include "reports/store/seal.hpp"

#include <nlohmann/json.hpp>

#include "reports/store/files.hpp"
#include "reports/store/json.hpp"
#include "reports/store/refusal.hpp"
#include "reports/store/run_files.hpp"
#include "reports/store/sha256.hpp"

namespace reprise::reports {

std::string seal_text(std::string_view description, const nlohmann::json& files) {
  nlohmann::json sealed = files;
  sealed[description_name] = {{"bytes", description.size()}, {"sha256", sha256_of(description)}};
  return to_text({{"schema", schema_version}, {"files", sealed}});
}

void require_seal(const std::filesystem::path& folder, std::string_view description,
                  const nlohmann::json& files) {
  const auto file = folder / seal_name;
  std::error_code code;
  if (!std::filesystem::exists(file, code))
    refuse_file(folder, "says that it is finished and has no {}: it was removed or not copied; restore it",
                seal_name);
  if (std::filesystem::is_symlink(file, code))
    refuse_file(file, "is a symbolic link, which may lead out of the run's folder; restore it or run again");
  if (read_text(file) != seal_text(description, files))
    refuse_file(folder / description_name,
                "was changed after the run was sealed: {} records another length or SHA-256; restore both or "
                "run again",
                seal_name);
}

}  // namespace reprise::reports
