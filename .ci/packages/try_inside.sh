# Run by try.sh in the clean system, with sh -eu.
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
config=/etc/sms-router/router.toml
names=$(for each in /packages/made/*.deb; do dpkg-deb --field "$each" Package; done)

fail() { echo "packages: $*" >&2; exit 1; }
apt() { apt-get -qq -y "$@" >/tmp/said 2>&1 || { cat /tmp/said >&2; fail "apt-get $*"; }; }
state() { dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null || echo none; }
# What packages and apt themselves remember is left out, and the copies that useradd makes.
files() {
    find /etc /usr /var /opt /srv -xdev ! -path '/var/lib/dpkg/*' ! -path '/var/lib/apt/*' \
        ! -path '/var/cache/*' ! -path '/var/log/*' ! -name '*-' ! -path /etc/.pwd.lock \
        ! -path /etc/ld.so.cache | sort
}

files >/tmp/before

apt install /packages/made/*.deb
for program in echo-server echo-client smpp-bench sms-router; do
    "$program" --version | grep -q "^$program [0-9]" || fail "$program does not run"
done
rights=$(stat -c %a:%U:%G $config)
[ "$rights" = 640:root:sms-router ] || fail "$config has the rights $rights"
grep -q '^sms-router:' /etc/passwd || fail 'no user sms-router'
for unit in sms-router.service sms-router.socket; do
    [ -e /lib/systemd/system/$unit ] || fail "no unit $unit"
done
enabled=$(find /etc/systemd -name 'sms-router.*')
[ -z "$enabled" ] || fail "enabled: $enabled"
scripts=/var/lib/dpkg/info/sms-router
! grep -qs 'deb-systemd-invoke stop' $scripts.preinst || fail 'an upgrade stops the router'
grep -q 'try-restart' $scripts.postinst || fail 'an upgrade does not restart the router'
grep -q 'deb-systemd-invoke stop' $scripts.prerm || fail 'a removal does not stop the router'
apt purge --auto-remove $names
files >/tmp/after
left=$(comm -13 /tmp/before /tmp/after)
[ -z "$left" ] || fail "purged, and there is still: $left"

apt install /packages/made/*.deb
echo '# mine' >>$config
chmod 0600 $config
mkdir -p /var/lib/sms-router /var/log/sms-router
touch /var/lib/sms-router/store
apt install /packages/later/*.deb
for name in $names; do
    dpkg-query --show "$name" | grep -q '+later$' || fail "$name was not upgraded"
done
[ "$(tail -n 1 $config)" = '# mine' ] || fail "the upgrade has changed $config"
[ "$(stat -c %a $config)" = 600 ] || fail "the upgrade has changed the mode of $config"
[ -e /var/lib/sms-router/store ] || fail 'the upgrade has removed the store'

apt remove $names
[ -e $config ] && [ -e /var/lib/sms-router/store ] || fail 'remove has removed what is for purge'
dpkg --purge $names >/tmp/said 2>&1 || fail "dpkg --purge: $(cat /tmp/said)"
for left in $config /var/lib/sms-router /var/log/sms-router; do
    [ ! -e $left ] || fail "purged, and there is still $left"
done
for name in $names; do
    case $(state "$name") in none | not-installed) ;; *) fail "$name: $(state "$name")" ;; esac
done
echo "packages: installed, upgraded and purged: $(echo $names)"
