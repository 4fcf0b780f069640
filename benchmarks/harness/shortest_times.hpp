// SPDX-License-Identifier: MIT
// The shortest times that fixed pieces of work have taken on this machine since it was started. A file in the cache folder has
// those of earlier runs, so that a run knows what the machine can do even if it is slowed down from beginning to end.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace reprise::harness {

class shortest_times {
 public:
  // The times in the file are forgotten if it is of another start of the machine. Without a name, no file is read or written.
  shortest_times(std::filesystem::path file, std::string start);

  // The shortest time of this work; infinite if none is known.
  double shortest(const std::string& work) const;

  // Takes note of a time, and returns the shortest of this work.
  double lower(const std::string& work, double seconds);

  // Writes what has become shorter. Does nothing where that is impossible.
  void keep();

 private:
  std::map<std::string, double> read() const;

  std::filesystem::path file_;
  std::string start_;
  std::map<std::string, double> seconds_;
  bool has_news_{};
};

// A file of this kind in the cache folder; empty if there is none. Machines that share a home folder have a file each.
std::filesystem::path file_of_this_machine(const std::string& kind);

// Differs after a restart.
std::string start_of_this_machine();

// Those of this machine and this build of the program, whose code for a piece of work differs from that of other builds.
shortest_times& shortest_times_here();

}  // namespace reprise::harness
