// SPDX-License-Identifier: MIT
// Finds control groups through /proc/self/mountinfo and /proc/self/cgroup.
#include "solvers/common/base/control_groups.hpp"

#include <fstream>
#include <sstream>

namespace reprise {
namespace {

namespace fs = std::filesystem;

bool names(const std::string& list, const std::string& controller) {
  return ("," + list + ",").find("," + controller + ",") != std::string::npos;
}

// The path of the process's group in one hierarchy, from /proc/self/cgroup. A line is "4:memory:/path" in
// version 1 and "0::/path" in version 2.
std::string own_group(const fs::path& root, const std::string& controller, bool is_version_2) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string number, controllers, path;
    std::getline(fields, number, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    if (is_version_2 ? controllers.empty() && number == "0" : names(controllers, controller)) return path;
  }
  return "/";
}

}  // namespace

// A line of mountinfo holds: id, parent, device, root, mount point, options ..., "-", type, source, options.
std::vector<control_group> control_groups(const fs::path& root, const std::string& controller) {
  std::vector<control_group> groups;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string skipped, mounted, point, type, source, options;
    fields >> skipped >> skipped >> skipped >> mounted >> point;
    while (fields >> skipped && skipped != "-") continue;
    fields >> type >> source >> options;
    const bool is_version_2 = type == "cgroup2";
    if (!is_version_2 && !(type == "cgroup" && names(options, controller))) continue;
    // In a container the mount may begin at the container's own group and hide the groups above it.
    const fs::path inside = fs::path(own_group(root, controller, is_version_2)).lexically_relative(mounted);
    const fs::path top = root / fs::path(point).relative_path();
    const bool is_outside = inside.empty() || *inside.begin() == "..";
    for (fs::path group = is_outside ? top : (top / inside).lexically_normal();;
         group = group.parent_path()) {
      groups.push_back({group, is_version_2});
      if (group == top || !group.has_relative_path()) break;
    }
  }
  return groups;
}

}  // namespace reprise
