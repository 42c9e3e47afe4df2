/* Names of containers and units from paths of control groups, as the engines' documents state
 * them. */
#include "src/collect/container.h"

#include <string.h>

#include "model/base/buf.h"
#include "tests/lib/unit.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

START_TEST(names)
{
	static const struct {
		const char *path, *name;
		bool container;
	} cases[] = {
		{"/system.slice/docker-" HEX ".scope", "docker:0123456789ab", true},
		{"/docker/" HEX, "docker:0123456789ab", true},
		{"/docker/" HEX "/init.scope", "docker:0123456789ab", true},
		{"/machine.slice/libpod-" HEX ".scope/container", "podman:0123456789ab", true},
		{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" HEX ".scope",
		 "podman:0123456789ab", true},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_34.slice/"
		 "cri-containerd-" HEX ".scope", "containerd:0123456789ab", true},
		{"/kubepods.slice/kubepods-pod12.slice/crio-" HEX ".scope", "cri-o:0123456789ab",
		 true},
		{"/kubepods/burstable/pod1234-56/" HEX, "kubernetes:0123456789ab", true},
		{"/a/" HEX, "container:0123456789ab", true},
		{"/lxc.payload.web", "lxc:web", true},
		{"/lxc/web/system.slice", "lxc:web", true},
		{"/machine.slice/machine-my\\x2dbox.scope", "machine:my-box", true},
		{"/system.slice/ssh.service", "ssh.service", false},
		{"/system.slice/ssh.service/sub", "ssh.service", false},
		{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service",
		 false},
		{"/user.slice/user-0.slice/session-3.scope", "session-3.scope", false},
		{"/system.slice/docker.service", "docker.service", false},
		/* nothing */
		{"", NULL, false},
		{"/", NULL, false},
		{"//", NULL, false},
		{".scope", NULL, false},
		{"/user.slice", NULL, false},
		{"/docker/0123", NULL, false},
		{"/lxc/", NULL, false},
		{"/docker-.scope/", "docker-.scope", false},
		{"/machine-.scope", "machine-.scope", false},
	};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		buf_reset(&b);
		ck_assert_msg(container_name(cases[i].path, &b) == (cases[i].name != NULL), "%s",
			      cases[i].path);
		ck_assert_str_eq(buf_str(&b), cases[i].name ? cases[i].name : "");
		ck_assert(container_is(buf_str(&b)) == cases[i].container);
	}
	buf_release(&b);
}
END_TEST

UNIT(container)
{
	Suite *suite = suite_create("container");
	TCase *cases = tcase_create("container");

	tcase_add_test(cases, names);
	suite_add_tcase(suite, cases);
	return suite;
}
