// SPDX-License-Identifier: MIT
// Ranks over MPI, or a single rank if the program was built or started without MPI.
#include "solvers/common/ranks/communicator.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "solvers/common/base/error.hpp"

#ifdef REPRISE_HAS_MPI
#define OMPI_SKIP_MPICXX
#include <mpi.h>
#endif

namespace reprise::ranks {
namespace {

int number_in(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

// Reads the variables of Open MPI, of MPICH and Intel MPI, and of Slurm's
// launcher. PMIx sets no process count.
started by_launcher() {
  for (const auto& [rank, count] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, std::pair{"PMI_RANK", "PMI_SIZE"}})
    if (std::getenv(count) != nullptr) return {number_in(rank, 0), number_in(count, 1)};
  if (std::getenv("PMIX_RANK") != nullptr)
    return {number_in("PMIX_RANK", 0), number_in("SLURM_STEP_NUM_TASKS", 1)};
  return {};
}

#ifdef REPRISE_HAS_MPI
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // in one call of MPI, which counts in int

int count_of(std::size_t bytes) {
  if (bytes > most_bytes) throw error("an exchange between ranks of more than 1 GiB with one neighbour");
  return static_cast<int>(bytes);
}

// Return codes of MPI are not checked: by default a failed call prints a message and ends all ranks.
int rank_among(MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  return rank;
}

int size_of(MPI_Comm all) {
  int size = 1;
  MPI_Comm_size(all, &size);
  return size;
}

MPI_Comm on_host_among(MPI_Comm all) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank_among(all), MPI_INFO_NULL, &host);
  return host;
}

int rank_on_host_among(MPI_Comm all) {
  MPI_Comm host = on_host_among(all);
  const int rank = rank_among(host);
  MPI_Comm_free(&host);
  return rank;
}

bool overlap(const cpu_set_t& a, const cpu_set_t& b) {
  cpu_set_t both;
  CPU_AND(&both, &a, &b);
  return CPU_COUNT(&both) > 0;
}

std::set<std::string> names_in_environment() {
  std::set<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry)
    names.insert(std::string(*entry).substr(0, std::string(*entry).find('=')));
  return names;
}

// Messages mostly follow each other at once, and sleeping would delay each by as long as many steps take. Between two
// of them the other rank may compute for long, and needs the processors.
void await_message(int rank, int tag, MPI_Comm all) {
  using clock = std::chrono::steady_clock;
  constexpr auto soon = std::chrono::milliseconds(20);
  const auto begin = clock::now();
  for (int is_there = 0; is_there == 0;) {
    MPI_Iprobe(rank, tag, all, &is_there, MPI_STATUS_IGNORE);
    if (is_there != 0) return;
    if (clock::now() - begin < soon)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

bool is_started() {
  int is_initialised = 0;
  MPI_Initialized(&is_initialised);
  return is_initialised != 0;
}

}  // namespace

struct communicator::state {
  MPI_Comm all{MPI_COMM_NULL};  // null if there is only this process
  int rank{0};
  int size{1};
  int rank_on_host{0};
  std::vector<MPI_Request> open{};

  state() = default;
  explicit state(MPI_Comm of)
      : all(of), rank(rank_among(of)), size(size_of(of)), rank_on_host(rank_on_host_among(of)) {}
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (all != MPI_COMM_NULL && is_over == 0) MPI_Comm_free(&all);
  }
};

communicator& communicator::world() {
  static communicator all = [] {
    if (by_launcher().count == 1 && std::getenv("PMIX_RANK") == nullptr) return communicator();
    MPI_Init(nullptr, nullptr);
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    return communicator(std::make_unique<state>(own));
  }();
  return all;
}

void communicator::start_for_library() {
  world();
  if (is_started()) return;
  // MPI describes the process to itself in the environment. A program that this one starts, or this one
  // restarted, would take itself for a rank.
  const std::set<std::string> before = names_in_environment();
  // Without this Open MPI starts a daemon, which ends the program where it can't write its files.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  MPI_Init(nullptr, nullptr);
  for (const std::string& name : names_in_environment())
    if (!before.contains(name)) unsetenv(name.c_str());
}

int communicator::sharing_processors() const {
  if (state_->size == 1) return 1;
  MPI_Comm host = on_host_among(state_->all);
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(size_of(host)));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, host);
  MPI_Comm_free(&host);
  const auto sharing = std::ranges::count_if(all, [&](const cpu_set_t& of) { return overlap(mine, of); });
  return std::max(1, static_cast<int>(sharing));  // none where the system tells no processors
}

communicator communicator::first(int count) const {
  if (count == 1) return {};
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(state_->all, &group);
  int range[1][3]{{0, count - 1, 1}};
  MPI_Group part = MPI_GROUP_NULL;
  MPI_Group_range_incl(group, 1, range, &part);
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_create_group(state_->all, part, 0, &own);
  MPI_Group_free(&part);
  MPI_Group_free(&group);
  return communicator(std::make_unique<state>(own));
}

void communicator::start(std::span<const parcel> parcels) {
  for (const parcel& p : parcels)
    if (p.to_bytes > 0)
      MPI_Irecv(p.to, count_of(p.to_bytes), MPI_BYTE, p.rank, 0, state_->all,
                &state_->open.emplace_back(MPI_REQUEST_NULL));
  for (const parcel& p : parcels)
    if (p.from_bytes > 0)
      MPI_Isend(p.from, count_of(p.from_bytes), MPI_BYTE, p.rank, 0, state_->all,
                &state_->open.emplace_back(MPI_REQUEST_NULL));
}

void communicator::finish() {
  if (state_->open.empty()) return;
  MPI_Waitall(static_cast<int>(state_->open.size()), state_->open.data(), MPI_STATUSES_IGNORE);
  state_->open.clear();
}

void communicator::make_largest(std::span<double> values) {
  if (size() == 1) return;
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                state_->all);
}

double communicator::sum(double of_mine) {
  double of_all = of_mine;
  if (size() > 1) MPI_Allreduce(&of_mine, &of_all, 1, MPI_DOUBLE, MPI_SUM, state_->all);
  return of_all;
}

void communicator::wait_for_all() {
  if (size() > 1) MPI_Barrier(state_->all);
}

void communicator::send(int rank, const message& m) {
  constexpr int tag = 1;
  const std::size_t bytes = m.bytes().size();
  MPI_Send(&bytes, sizeof(bytes), MPI_BYTE, rank, tag, state_->all);
  for (std::size_t at = 0; at < bytes; at += most_bytes)
    MPI_Send(m.bytes().data() + at, static_cast<int>(std::min(most_bytes, bytes - at)), MPI_BYTE, rank, tag,
             state_->all);
}

message communicator::receive(int rank, patience how) {
  constexpr int tag = 1;
  if (how == patience::patient) await_message(rank, tag, state_->all);
  std::size_t bytes = 0;
  MPI_Recv(&bytes, sizeof(bytes), MPI_BYTE, rank, tag, state_->all, MPI_STATUS_IGNORE);
  message m;
  m.bytes().resize(bytes);
  for (std::size_t at = 0; at < bytes; at += most_bytes)
    MPI_Recv(m.bytes().data() + at, static_cast<int>(std::min(most_bytes, bytes - at)), MPI_BYTE, rank, tag,
             state_->all, MPI_STATUS_IGNORE);
  return m;
}

void communicator::stop_all(int status) {
  if (is_started()) MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

void communicator::leave() {
  if (is_started()) MPI_Finalize();
}

// Only the name and the version, which come first in a possibly long text.
std::string communicator::library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

#else

struct communicator::state {
  int rank{0};
  int size{1};
  int rank_on_host{0};
};

communicator& communicator::world() {
  static communicator alone = [] {
    if (by_launcher().count > 1)
      throw bad_input(
          "several ranks were started of a program that was built without MPI: " REPRISE_MPI_REASON);
    return communicator();
  }();
  return alone;
}

void communicator::start_for_library() {
  throw unavailable(REPRISE_MPI_REASON);
}

communicator communicator::first(int) const {
  return {};
}
int communicator::sharing_processors() const {
  return 1;
}
void communicator::start(std::span<const parcel>) {}
void communicator::finish() {}
void communicator::make_largest(std::span<double>) {}
double communicator::sum(double of_mine) {
  return of_mine;
}
void communicator::wait_for_all() {}
void communicator::send(int, const message&) {}
message communicator::receive(int, patience) {
  return {};
}
void communicator::stop_all(int status) {
  std::_Exit(status);
}
void communicator::leave() {}
std::string communicator::library() {
  throw unavailable(REPRISE_MPI_REASON);
}

#endif

communicator::communicator() : state_(std::make_unique<state>()) {}
communicator::communicator(std::unique_ptr<state> s) : state_(std::move(s)) {}
communicator::communicator(communicator&&) noexcept = default;
communicator& communicator::operator=(communicator&&) noexcept = default;
communicator::~communicator() = default;

double communicator::largest(double of_mine) {
  make_largest({&of_mine, 1});
  return of_mine;
}

// Goes through rank 0, which first collects the texts of all ranks.
std::string communicator::first_of(const std::string& mine) {
  if (size() == 1) return mine;
  if (rank() > 0) {
    message m;
    send(0, m.put(mine));
    return receive(0).get_text();
  }
  std::string found = mine;
  for (int r = 1; r < size(); ++r) {
    const std::string other = receive(r).get_text();
    if (found.empty() && !other.empty()) found = "rank " + std::to_string(r) + ": " + other;
  }
  for (int r = 1; r < size(); ++r) {
    message m;
    send(r, m.put(found));
  }
  return found;
}

int communicator::rank() const {
  return state_->rank;
}
int communicator::size() const {
  return state_->size;
}
int communicator::rank_on_host() const {
  return state_->rank_on_host;
}

}  // namespace reprise::ranks
