// Which logical processors share a core, and what a cgroup's CPU quota allows.

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <string>

#include "kernels/base/processor_cores.h"

using namespace quire;

namespace {

void write_list(const QTemporaryDir& folder, int processor, const char* name, const char* list) {
  const std::filesystem::path topology = std::filesystem::path(folder.path().toStdString()) /
                                         ("cpu" + std::to_string(processor)) / "topology";
  std::filesystem::create_directories(topology);
  std::ofstream(topology / name) << list << "\n";
}

/// A file below the folder.
void write_file(const QTemporaryDir& folder, const std::string& name, const char* text) {
  const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

}  // namespace

class TestProcessorCores : public QObject {
  Q_OBJECT

 private slots:
  void countCores_countsThreadsOfACoreOnce() {
    const QTemporaryDir folder;
    // Two cores with two threads each, and two small ones with one.
    for (int processor : {0, 1}) write_list(folder, processor, "core_cpus_list", "0-1");
    for (int processor : {2, 3}) write_list(folder, processor, "core_cpus_list", "2-3");
    for (int processor : {4, 5}) {
      write_list(folder, processor, "core_cpus_list", std::to_string(processor).c_str());
    }
    const std::filesystem::path path = folder.path().toStdString();
    const int all[] = {0, 1, 2, 3, 4, 5};
    QCOMPARE(count_cores(all, path), 4);
    const int some[] = {1, 2, 3};  // Of the first core one thread only may be used.
    QCOMPARE(count_cores(some, path), 2);
    QCOMPARE(count_cores({}, path), 0);
  }

  void countCores_readsTheOldName() {
    const QTemporaryDir folder;
    for (int processor : {0, 4}) write_list(folder, processor, "thread_siblings_list", "0,4");
    const int both[] = {0, 4};
    QCOMPARE(count_cores(both, folder.path().toStdString()), 1);
  }

  void countCores_takesProcessorsOfUnknownCoresAsCores() {
    const QTemporaryDir folder;
    write_list(folder, 0, "core_cpus_list", "0,1");
    write_list(folder, 1, "core_cpus_list", "0,1");
    write_list(folder, 2, "core_cpus_list", "");
    const int all[] = {0, 1, 2, 3};
    QCOMPARE(count_cores(all, folder.path().toStdString()), 3);
  }

  void cgroupLimit_isTheSmallestQuotaOfTheAncestors() {
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    QCOMPARE(cgroup_cpu_limit(root), 0);
    write_file(folder, "proc/self/cgroup", "0::/user/app");
    QCOMPARE(cgroup_cpu_limit(root), 0);
    write_file(folder, "sys/fs/cgroup/user/app/cpu.max", "max 100000");
    QCOMPARE(cgroup_cpu_limit(root), 0);
    write_file(folder, "sys/fs/cgroup/user/cpu.max", "150000 100000");
    QCOMPARE(cgroup_cpu_limit(root), 2);
    write_file(folder, "sys/fs/cgroup/user/app/cpu.max", "400000 100000");
    QCOMPARE(cgroup_cpu_limit(root), 2);
    write_file(folder, "sys/fs/cgroup/cpu.max", "50000 100000");
    QCOMPARE(cgroup_cpu_limit(root), 1);
  }

  void cgroupLimit_ofAContainerIsItsRoots() {
    const QTemporaryDir folder;
    write_file(folder, "proc/self/cgroup", "0::/../outside");
    write_file(folder, "sys/fs/cgroup/cpu.max", "300000 100000");
    QCOMPARE(cgroup_cpu_limit(folder.path().toStdString()), 3);
  }

  void cgroupLimit_readsVersionOne() {
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    write_file(folder, "proc/self/cgroup", "7:memory:/a\n4:cpu,cpuacct:/a");
    write_file(folder, "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1");
    write_file(folder, "sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
    QCOMPARE(cgroup_cpu_limit(root), 0);
    write_file(folder, "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000");
    QCOMPARE(cgroup_cpu_limit(root), 3);
  }

  void usableCores_areAtLeastOne() { QCOMPARE_GE(num_usable_cores(), 1); }
};

QTEST_APPLESS_MAIN(TestProcessorCores)
#include "tst_processor_cores.moc"
