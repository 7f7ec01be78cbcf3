// SPDX-License-Identifier: GPL-2.0
/* Containers of a machine that is a tree of files: who is in which, their names, and choices. */
#include "rows.h"
#include "tree.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "process/containers.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define INNER "fedcba980123456789abcdef0123456789abcdef0123456789abcdef01234567"
#define THIRD "7777777777777777777777777777777777777777777777777777777777777777"
#define UID "8c5b1f52-2a6b-4c9e-9d0f-1b2c3d4e5f60"
#define UID_ "8c5b1f52_2a6b_4c9e_9d0f_1b2c3d4e5f60"
#define BEST "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_

/* --- control groups ------------------------------------------------------------------- */

static const struct group_row {
	const char *claim, *text, *id, *pod, *group, *pod_group;
	bool unified;
} groups[] = {
	{ "no container", "0::/system.slice/ssh.service\n", NULL, NULL, NULL, "", false },
	{ "Docker with systemd", "0::/system.slice/docker-" ID ".scope\n", ID, "",
	  "/system.slice/docker-" ID ".scope", "", true },
	{ "Docker, version 1", "12:cpu:/docker/" ID "\n11:memory:/docker/" ID "\n", ID, "",
	  "/docker/" ID, "", false },
	{ "the path of version 2 where both are",
	  "12:cpu:/docker/" ID "\n0::/system.slice/docker-" ID ".scope\n", ID, "",
	  "/system.slice/docker-" ID ".scope", "", true },
	{ "containerd in Kubernetes", "0::" BEST ".slice/cri-containerd-" ID ".scope", ID, UID,
	  "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
	  ".slice/cri-containerd-" ID ".scope", BEST ".slice", true },
	{ "Kubernetes without systemd", "0::/kubepods/burstable/pod" UID "/" ID "\n", ID, UID,
	  "/kubepods/burstable/pod" UID "/" ID, "/kubepods/burstable/pod" UID, true },
	{ "containerd's path with colons", "5:cpu:/system.slice:cri-containerd:" ID "\n", ID, "",
	  "/system.slice:cri-containerd:" ID, "", false },
	{ "CRI-O", "0::/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope\n", ID, UID,
	  "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope",
	  "/kubepods.slice/kubepods-pod" UID_ ".slice", true },
	{ "Podman, and below it", "0::/machine.slice/libpod-" ID ".scope/container\n", ID, "",
	  "/machine.slice/libpod-" ID ".scope", "", true },
	{ "Podman without systemd", "0::/libpod_parent/libpod-" ID "\n", ID, "",
	  "/libpod_parent/libpod-" ID, "", true },
	{ "a pod of Podman", "0::/machine.slice/machine-libpod_pod_" INNER ".slice/libpod-" ID
	  ".scope\n", ID, INNER, "/machine.slice/machine-libpod_pod_" INNER ".slice/libpod-" ID
	  ".scope",
	  "/machine.slice/machine-libpod_pod_" INNER ".slice", true },
	{ "Podman of a user", "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-"
	  ID ".scope/container\n", ID, "",
	  "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope", "",
	  true },
	{ "who watches it is not in it", "0::/machine.slice/libpod-conmon-" ID ".scope\n", NULL,
	  NULL, NULL, "", false },
	{ "who examines it is not in it", "0::/system.slice/" ID "-1f2e.service\n", NULL, NULL,
	  NULL,
	  "", false },
	{ "a container in a container: the inner one", "0::/docker/" ID "/docker/" INNER "\n",
	  INNER,
	  "", "/docker/" ID "/docker/" INNER, "", true },
	{ "seen from another namespace of groups", "0::/../../docker-" ID ".scope\n", ID, "",
	  "/../../docker-" ID ".scope", "", true },
	{ "fewer digits", "0::/user.slice/0123456789abcdef\n", NULL, NULL, NULL, "", false },
	{ "more digits", "0::/x/" ID "0\n", NULL, NULL, NULL, "", false },
	{ "no path", "0:" ID "\n:\n::\n", NULL, NULL, NULL, "", false },
	{ "nothing", "", NULL, NULL, NULL, "", false },
};

ROWS(test_group, groups)
{
	const struct group_row *row = *state;
	struct containers_one c;
	bool in = containers_parse(row->text, &c);

	assert_int_equal(in, !!row->id);
	if (in) {
		assert_non_null(c.group);
		assert_string_equal(c.id, row->id);
		assert_string_equal(c.pod_id, row->pod);
		assert_string_equal(c.group, row->group);
		assert_int_equal(c.pod_group, strlen(row->pod_group));
		assert_int_equal(strncmp(c.group, row->pod_group, c.pod_group), 0);
		assert_int_equal(c.unified, row->unified);
	}
	free(c.group);
}

/* --- a machine ------------------------------------------------------------------------ */

#define PS "'goprobectl ps' lists Go programs with their containers"

static void put_choice(const struct containers_choice *c, struct buf *b)
{
	buf_mem(b, c->what.p, c->what.len);
	buf_str(b, c->follows ? " follows" : " now");
	for (size_t i = 0; i < c->pids.n; i++)
		buf_number(b, i ? "," : " ", (uint64_t)c->pids.v[i]);
}

static int by_number(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

/* The choice, or "message | hint". */
static void expect(const struct containers_wish *wish, const char *want)
{
	const struct host h = { .root = tree_root };
	struct containers_choice c;
	struct diag d = { 0 };
	struct buf b = { 0 };

	if (containers_choose(&h, wish, &c, &d)) {
		const char *at = d.message;

		/* The tree's own name is another one each time. */
		buf_str(&b, at);
		buf_str(&b, " | ");
		at = d.hint ? strstr(d.hint, tree_root) : NULL;
		at = at ? at + strlen(tree_root) : d.hint;
		buf_str(&b, at ? at : "");
	} else {
		if (c.pids.n)
			qsort(c.pids.v, c.pids.n, sizeof(*c.pids.v), by_number);
		put_choice(&c, &b);
	}
	buf_char(&b, 0);
	assert_string_equal(b.p, want);
	buf_fini(&b);
	diag_fini(&d);
	containers_choice_fini(&c);
}

#define MOUNTS(lines) { "/proc/self/mountinfo", lines }
#define MOUNT MOUNTS("24 1 0:20 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
#define PROC(pid, group) { "/proc/" pid "/cgroup", group }
#define GROUP(path) { "/sys/fs/cgroup" path "/cgroup.procs", "" }
#define DOCKER "/system.slice/docker-" ID ".scope"
#define DOCKER_CONFIG(id) "/var/lib/docker/containers/" id "/config.v2.json"
#define POD "/kubepods.slice/kubepods-pod" UID_ ".slice"
#define TASKS "/run/containerd/io.containerd.runtime.v2.task/"
#define STORAGE "/var/lib/containers/storage/overlay-containers/"
#define HOME_STORAGE "/home/ann/.local/share/containers/storage/vfs-containers/"
#define HOME_GROUP "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" INNER \
	".scope"
#define SHOP "{\"names\":[\"shop\",\"more\"],\"id\":\"" ID "\"}"
#define USERS "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n"
#define CRI "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\"," \
	"\"io.kubernetes.cri.sandbox-name\":\"web-0\",\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}"

#define CRIO "{\"annotations\":{\"io.kubernetes.container.name\":\"app\"," \
	"\"io.kubernetes.pod.name\":\"web-0\",\"io.kubernetes.pod.namespace\":\"shop\"}}"

static const struct machine_row {
	const char *claim;
	struct tree_file files[9];
	struct containers_wish wish;
	const char *want;
} machines[] = {
	{ "Docker, by its name",
	  { MOUNT, GROUP(DOCKER), PROC("12", "0::" DOCKER "\n"),
	    PROC("13", "0::" DOCKER "/sub\n"), PROC("14", "0::/\n"),
	    { DOCKER_CONFIG(ID), "{\"Config\":{\"Image\":\"x\"},\"Name\":\"/shop\"}" } },
	  { .container = "shop" }, "container shop (0123456789ab) follows 12,13" },
	{ "Docker, by its id",
	  { MOUNT, GROUP(DOCKER), PROC("12", "0::" DOCKER "\n") },
	  { .container = "0123" }, "container 0123456789ab follows 12" },
	{ "Docker with files elsewhere",
	  { MOUNT, GROUP(DOCKER), PROC("12", "0::" DOCKER "\n"),
	    { "/etc/docker/daemon.json", "{\"data-root\": \"/big\"}" },
	    { "/big/containers/" ID "/config.v2.json", "{\"Name\":\"/shop\"}" } },
	  { .container = "shop" }, "container shop (0123456789ab) follows 12" },
	{ "version 1: those that run now",
	  { PROC("12", "12:cpu:/docker/" ID "\n"),
	    { DOCKER_CONFIG(ID), "{\"Name\":\"/shop\"}" } },
	  { .container = "shop" }, "container shop (0123456789ab) now 12" },
	{ "a group that is not mounted: those that run now",
	  { MOUNTS("24 1 0:20 / /sys/fs/cgroup rw - tmpfs t rw\n"),
	    PROC("12", "0::" DOCKER "\n") },
	  { .container = "0123" }, "container 0123456789ab now 12" },
	{ "a mount of a part",
	  { MOUNTS("24 1 0:20 /system.slice /a\\040b rw - cgroup2 c rw\n"),
	    { "/a b/docker-" ID ".scope/cgroup.procs", "" },
	    PROC("12", "0::" DOCKER "\n") },
	  { .container = "0123" }, "container 0123456789ab follows 12" },
	{ "a name goes before an id",
	  { PROC("12", "0::/docker/" ID "\n"), PROC("13", "0::/docker/" INNER),
	    { DOCKER_CONFIG(INNER), "{\"Name\":\"/01\"}" } },
	  { .container = "01" }, "container 01 (fedcba980123) now 13" },
	{ "one that was started again under its name",
	  { PROC("13", "0::/docker/" INNER),
	    { DOCKER_CONFIG(ID), "{\"Name\":\"/shop\"}" },
	    { DOCKER_CONFIG(INNER), "{\"Name\":\"/shop\"}" } },
	  { .container = "shop" }, "container shop (fedcba980123) now 13" },
	{ "one that does not run",
	  { PROC("13", "0::/docker/" INNER), { DOCKER_CONFIG(ID), "{\"Name\":\"/shop\"}" } },
	  { .container = "shop" },
	  "no process of container 'shop' runs now | " PS },
	{ "one that does not exist",
	  { PROC("13", "0::/docker/" INNER) }, { .container = "shop" },
	  "there is no container 'shop' | " PS },
	{ "a name that is not quite right",
	  { PROC("13", "0::/docker/" INNER), { DOCKER_CONFIG(INNER), "{\"Name\":\"/shop\"}" } },
	  { .container = "shpo" }, "there is no container 'shpo' | did you mean 'shop'?" },
	{ "kubelet's links, for every runtime",
	  { MOUNT, GROUP(POD "/crio-" ID ".scope"), PROC("12", "0::" POD "/crio-" ID ".scope\n"),
	    { "/var/log/containers/web-0_shop_app-" ID ".log", "" },
	    { "/var/log/containers/x_y-" ID ".log", "" },
	    { "/var/log/containers/_-" ID ".log", "" } },
	  { .container = "app" }, "container app (0123456789ab) of pod shop/web-0 follows 12" },
	{ "a pod: all its containers",
	  { MOUNT, GROUP(POD), PROC("12", "0::" POD "/cri-containerd-" ID ".scope\n"),
	    PROC("13", "0::" POD "/cri-containerd-" INNER ".scope\n"),
	    { TASKS "k8s.io/" ID "/config.json", CRI } },
	  { .pod = "shop/web-0" }, "pod shop/web-0 follows 12,13" },
	{ "a pod by its id",
	  { MOUNT, GROUP(POD), PROC("12", "0::" POD "/cri-containerd-" ID ".scope\n") },
	  { .pod = "8c5b1f52" }, "pod " UID " follows 12" },
	{ "a container of a pod",
	  { PROC("12", "0::" POD "/cri-containerd-" ID ".scope\n"),
	    PROC("13", "0::/kubepods/" INNER "\n"),
	    { "/var/log/containers/web-1_shop_app-" INNER ".log", "" },
	    { TASKS "k8s.io/" ID "/config.json", CRI } },
	  { .container = "app", .pod = "web-1" },
	  "container app (fedcba980123) of pod shop/web-1 now 13" },
	{ "several containers of one name",
	  { PROC("12", "0::" POD "/cri-containerd-" ID ".scope\n"),
	    { "/var/log/containers/web-0_shop_app-" ID ".log", "" },
	    { "/var/log/containers/web-1_shop_app-" INNER ".log", "" },
	    { "/proc/12/x", "" }, PROC("13", "0::/kubepods/" INNER "\n") },
	  { .container = "app" },
	  "2 containers fit 'app' | choose, by an id or --pod: app (0123456789ab) of pod shop/web-0; app (fedcba980123) of pod shop/web-1"
	},
	{ "several pods of one name",
	  { PROC("12", "0::" POD "/cri-containerd-" ID ".scope\n"),
	    { "/var/log/containers/web_shop_app-" ID ".log", "" },
	    { "/var/log/containers/web_test_app-" INNER ".log", "" },
	    PROC("13", "0::/kubepods/" INNER "\n") },
	  { .pod = "web" },
	  "2 pods fit 'web' | choose, by NAMESPACE/NAME: shop/web; test/web" },
	{ "containerd's own client",
	  { MOUNT, GROUP("/default/redis"), PROC("12", "0::/default/redis\n"),
	    { TASKS "default/redis/config.json", "{}" } },
	  { .container = "redis" }, "container redis follows 12" },
	{ "nerdctl", { PROC("12", "0::/default/" ID "\n"),
	    { TASKS "default/" ID "/config.json",
	      "{\"annotations\":{\"nerdctl/name\":\"shop\"}}" } },
	  { .container = "shop" }, "container shop (0123456789ab) now 12" },
	{ "CRI-O's own file", { PROC("12", "0::" POD "/crio-" ID ".scope\n"),
	    { STORAGE ID "/userdata/config.json", CRIO },
	    { STORAGE "containers.json", "[{\"id\":\"" ID "\",\"names\":[\"k8s_app_web-0\"]}]" } },
	  { .container = "app" }, "container app (0123456789ab) of pod shop/web-0 now 12" },
	{ "Podman", { PROC("12", "0::/machine.slice/libpod-" ID ".scope/container\n"),
	    { STORAGE "containers.json",
	      "[{\"id\":\"" INNER "\",\"names\":[\"other\"]}," SHOP "]" } },
	  { .container = "shop" }, "container shop (0123456789ab) now 12" },
	{ "Podman with --rm", { PROC("12", "0::/machine.slice/libpod-" ID ".scope\n"),
	    { STORAGE "containers.json", "[]" },
	    { STORAGE "volatile-containers.json", "[{\"id\":\"" ID "\",\"names\":[\"shop\"]}]" } },
	  { .container = "shop" }, "container shop (0123456789ab) now 12" },
	{ "Podman of a user", { { "/etc/passwd", USERS }, PROC("12", "0::" HOME_GROUP "\n"),
	    { HOME_STORAGE "containers.json", "[{\"id\":\"" INNER "\",\"names\":[\"mine\"]}]" } },
	  { .container = "mine" }, "container mine (fedcba980123) now 12" },
	{ "a user gives no name to a container of others",
	  { { "/etc/passwd", USERS }, PROC("12", "0::" HOME_GROUP "\n"),
	    PROC("13", "0::" DOCKER "\n"),
	    { HOME_STORAGE "containers.json", "[{\"id\":\"" ID "\",\"names\":[\"mine\"]}]" } },
	  { .container = "mine" },
	  "there is no container 'mine' | " PS },
	{ "who watches a container is not in it",
	  { PROC("12", "0::/machine.slice/libpod-" ID ".scope\n"),
	    PROC("13", "0::/machine.slice/libpod-conmon-" ID ".scope\n") },
	  { .container = "0123" }, "container 0123456789ab now 12" },
	{ "a file that is no JSON is named",
	  { PROC("12", "0::/docker/" ID "\n"), { DOCKER_CONFIG(ID), "{\"Name\":\"/sh" } },
	  { .container = "shop" },
	  "there is no container 'shop' | "
	  DOCKER_CONFIG(ID) ": no JSON: byte 12 is not the end of a string" },
	{ "values of other kinds than names",
	  { PROC("12", "0::/docker/" ID "\n"),
	    { DOCKER_CONFIG(ID), "{\"Name\":[\"/shop\"],\"Config\":{\"Labels\":[\"x\"]}}" },
	    { STORAGE "containers.json", "{\"id\":\"" ID "\",\"names\":{\"a\":\"shop\"}}" } },
	  { .container = "shop" },
	  "there is no container 'shop' | " PS },
	{ "an id that is a path",
	  { PROC("12", "0::/docker/" ID "\n"),
	    { STORAGE "containers.json", "[{\"id\":\"../../x\",\"names\":[\"shop\"]}]" } },
	  { .container = "shop" },
	  "there is no container 'shop' | " PS },
	{ "what controls a terminal is not printed",
	  { PROC("12", "0::/docker/" ID "\n"),
	    { DOCKER_CONFIG(ID), "{\"Name\":\"/a\\u001b[2Jb\"}" } },
	  { .container = "0123" }, "container a?[2Jb (0123456789ab) now 12" },
	{ "a control group, and those below it",
	  { { "/cg/x/cgroup.procs", "12\n13\n0\n" }, { "/cg/x/cgroup.controllers", "" },
	    { "/cg/x/below/cgroup.procs", "14\n" } },
	  { .group = "/cg/x" }, "control group /cg/x follows 12,13,14" },
	{ "a control group of version 1", { { "/cg/x/cgroup.procs", "12\n" } },
	  { .group = "/cg/x" }, "control group /cg/x now 12" },
	{ "a control group by its path in the hierarchy",
	  { MOUNT, { "/sys/fs/cgroup/a/b/cgroup.procs", "12\n" },
	    { "/sys/fs/cgroup/a/b/cgroup.controllers", "" } },
	  { .group = "a/b" }, "control group a/b follows 12" },
	{ "a control group that does not exist", { MOUNT, { "/cg/x/other", "" } },
	  { .group = "/cg/x" },
	  "there is no control group '/cg/x' | it is a directory, such as /sys/fs/cgroup/system.slice/docker.service"
	},
};

ROWS(test_machine, machines)
{
	const struct machine_row *row = *state;

	tree_make(row->files);
	expect(&row->wish, row->want);
	tree_remove();
}

TEST(large_file, "a file that is too large is not read")
{
	static const struct tree_file files[] = {
		PROC("12", "0::/docker/" ID "\n"), { DOCKER_CONFIG(ID), "" },
		{ NULL, NULL }
	};
	char path[PATH_MAX * 2];

	tree_make(files);
	snprintf(path, sizeof(path), "%s" DOCKER_CONFIG(ID), tree_root);
	assert_int_equal(truncate(path, (off_t)64 << 20), 0);
	expect(&(struct containers_wish){ .container = "shop" },
	       "there is no container 'shop' | " DOCKER_CONFIG(ID) ": it is larger than 16 MiB");
	tree_remove();
}

TEST(not_a_file, "a FIFO, and a link to what is no file, are not opened")
{
	static const struct tree_file files[] = {
		PROC("12", "0::/docker/" ID "\n"),
		{ "/var/lib/docker/containers/" ID "/x", "" }, { NULL, NULL }
	};
	char path[PATH_MAX * 2];

	tree_make(files);
	snprintf(path, sizeof(path), "%s" DOCKER_CONFIG(ID), tree_root);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect(&(struct containers_wish){ .container = "0123" },
	       "container 0123456789ab now 12");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/proc/kmsg", path), 0);
	expect(&(struct containers_wish){ .container = "0123" },
	       "container 0123456789ab now 12");
	tree_remove();
}

TEST(removed, "the directory of a control group is removed")
{
	static const struct tree_file files[] = {
		{ "/cg/x/cgroup.procs", "12\n" }, { "/cg/x/cgroup.controllers", "" }, { NULL, NULL }
	};
	const struct containers_wish wish = { .group = "/cg/x" };
	const struct host h = { .root = tree_root };
	struct containers_choice c;
	struct diag d = { 0 };

	tree_make(files);
	assert_int_equal(containers_choose(&h, &wish, &c, &d), 0);
	assert_false(containers_removed(c.group));
	tree_remove();
	assert_true(containers_removed(c.group));
	containers_choice_fini(&c);
}
