//! The kernel's entries that stay closed.
//!
//! Three filters, because each answers in one way: what can be no call of this machine kills; what programs have
//! another way for is "not implemented"; the rest is "not permitted". Calls newer than the newest that was
//! judged here are "not implemented" too, so that tomorrow's kernel opens nothing.

use crate::refused::Fault;
use crate::spec::Network;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition as Condition,
    SeccompFilter, SeccompRule, sock_filter,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The newest call that was judged: `removexattrat`, the same number on every machine.
const NEWEST_JUDGED: u32 = 466;

/// Never permitted, whatever the arguments.
const CLOSED: &[libc::c_long] = &[
    // other mounts, other roots
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_mount_setattr,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_by_handle_at,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_fanotify_init,
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // other namespaces
    libc::SYS_unshare,
    libc::SYS_setns,
    // large parts of the kernel that a tool has no use for
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_vhangup,
    // the machine's time and name
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
];

/// Answered as if the kernel did not have them: programs know another way.
const MISSING: &[libc::c_long] = &[
    // their flags lie in memory, where no filter can look
    libc::SYS_clone3,
    libc::SYS_openat2,
    // a ring of calls that no filter sees
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // memory that no limit counts until it is mapped
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
];

/// Compiles the filters.
pub(crate) fn compile(network: Network) -> Result<Vec<BpfProgram>, Fault> {
    let fault = |error: seccompiler::BackendError| Fault::new("compile system call filters", error);
    let errno = |number: i32| SeccompAction::Errno(number.cast_unsigned());
    let missing = MISSING.iter().map(|&call| (call, Vec::new())).collect();
    Ok(vec![
        compile_one(closed(network).map_err(fault)?, errno(libc::EPERM)).map_err(fault)?,
        compile_one(missing, errno(libc::ENOSYS)).map_err(fault)?,
        gate(),
    ])
}

fn compile_one(rules: Rules, refusal: SeccompAction) -> Result<BpfProgram, seccompiler::BackendError> {
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refusal, machine)?.try_into()
}

/// Puts the filters in force; the last one of them is asked first.
pub(crate) fn apply(filters: &[BpfProgram]) -> Result<(), Fault> {
    filters.iter().try_for_each(|filter| {
        seccompiler::apply_filter(filter).map_err(Fault::at("put system call filters in force"))
    })
}

/// Kills what enters by another machine's numbers, and does not know what is newer than what was judged.
fn gate() -> BpfProgram {
    let load = |offset: u32| sock_filter { code: 0x20, jt: 0, jf: 0, k: offset };
    let at_least = |k: u32, jt: u8, jf: u8| sock_filter { code: 0x35, jt, jf, k };
    let equal = |k: u32, jt: u8, jf: u8| sock_filter { code: 0x15, jt, jf, k };
    let answer = |k: u32| sock_filter { code: 0x06, jt: 0, jf: 0, k };
    let machine = match () {
        #[cfg(target_arch = "x86_64")]
        () => 0xC000_003E,
        #[cfg(target_arch = "aarch64")]
        () => 0xC000_00B7,
        #[cfg(target_arch = "riscv64")]
        () => 0xC000_00F3,
    };
    // struct seccomp_data: the number at 0, the machine at 4
    vec![
        load(4),
        equal(machine, 0, 3),
        load(0),
        // x32 calls are those of this machine with the 30th bit set
        at_least(0x4000_0000, 1, 0),
        at_least(NEWEST_JUDGED + 1, 1, 2),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        answer(libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned()),
        answer(libc::SECCOMP_RET_ALLOW),
    ]
}

type Compiled<T> = Result<T, seccompiler::BackendError>;

fn word(argument: u8, op: Op, value: u64) -> Compiled<Condition> {
    Condition::new(argument, Len::Dword, op, value)
}

/// The argument has all these bits.
fn bits(argument: u8, bits: i32) -> Compiled<Condition> {
    let bits = u64::from(bits.cast_unsigned());
    word(argument, Op::MaskedEq(bits), bits)
}

/// The argument is none of these values: a rule of this refuses all others.
fn none_of(argument: u8, values: &[i32]) -> Compiled<SeccompRule> {
    let each = values.iter().map(|&value| word(argument, Op::Ne, u64::from(value.cast_unsigned())));
    SeccompRule::new(each.collect::<Compiled<_>>()?)
}

/// The kind of a socket, without its flags, is none of these.
fn kind_none_of(argument: u8, kinds: &[i32]) -> Compiled<Vec<SeccompRule>> {
    (0..16)
        .filter(|kind| !kinds.contains(kind))
        .map(|kind| {
            let kind = u64::from(kind.cast_unsigned());
            SeccompRule::new(vec![word(argument, Op::MaskedEq(0xf), kind)?])
        })
        .collect()
}

fn closed(network: Network) -> Compiled<Rules> {
    let mut rules: Rules = CLOSED.iter().map(|&call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_clone, new_namespaces()?);
    rules.insert(libc::SYS_ioctl, typing()?);
    // Only what shows another machine's name or layout; -1 asks.
    rules.insert(libc::SYS_personality, vec![none_of(0, &[0, 0x8, 0x20000, 0x20008, -1, 0x0004_0000])?]);
    for (call, mode) in set_id_modes() {
        rules.insert(call, set_id(&[], mode)?);
    }
    for (call, flags, mode) in [
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1, 2),
        (libc::SYS_openat, 2, 3),
    ] {
        let mut each = set_id(&[(flags, libc::O_CREAT)], mode)?;
        each.extend(set_id(&[(flags, libc::O_TMPFILE)], mode)?);
        rules.insert(call, each);
    }
    rules.insert(libc::SYS_socket, sockets(network)?);
    // A pair of connected streams; a pair of datagram sockets could still send to any name.
    let mut pairs = vec![none_of(0, &[libc::AF_UNIX])?];
    pairs.extend(kind_none_of(1, &[libc::SOCK_STREAM, libc::SOCK_SEQPACKET])?);
    rules.insert(libc::SYS_socketpair, pairs);
    Ok(rules)
}

fn new_namespaces() -> Compiled<Vec<SeccompRule>> {
    // riscv and arm take the flags first, as x86 does
    [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ]
    .iter()
    .map(|&flag| SeccompRule::new(vec![bits(0, flag)?]))
    .collect()
}

/// Typing into somebody's terminal.
fn typing() -> Compiled<Vec<SeccompRule>> {
    [libc::TIOCSTI, libc::TIOCLINUX]
        .iter()
        .map(|&request| SeccompRule::new(vec![word(1, Op::Eq, request & 0xffff_ffff)?]))
        .collect()
}

/// Calls that take a file's mode, and where.
fn set_id_modes() -> Vec<(i64, u8)> {
    vec![
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (libc::SYS_fchmodat2, 2),
        (libc::SYS_mknodat, 2),
    ]
}

/// A file that would run as its owner or group: one that a run of root's leaves would be root's.
fn set_id(flags: &[(u8, i32)], mode: u8) -> Compiled<Vec<SeccompRule>> {
    [0o4000, 0o2000]
        .iter()
        .map(|&bit| {
            let mut all = vec![bits(mode, bit)?];
            for &(argument, flag) in flags {
                all.push(bits(argument, flag)?);
            }
            SeccompRule::new(all)
        })
        .collect()
}

fn sockets(network: Network) -> Compiled<Vec<SeccompRule>> {
    match network {
        Network::None => Ok(Vec::new()),
        Network::Loopback | Network::Proxy(_) => {
            let mut rules = vec![none_of(0, &[libc::AF_INET, libc::AF_INET6])?];
            rules.extend(kind_none_of(1, &[libc::SOCK_STREAM, libc::SOCK_DGRAM])?);
            rules.push(none_of(2, &[0, libc::IPPROTO_TCP, libc::IPPROTO_UDP])?);
            Ok(rules)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a filter answers: a small machine for the instructions that filters are made of.
    fn run(filter: &[sock_filter], machine: u32, number: u32, args: [u64; 6]) -> u32 {
        let mut data = Vec::new();
        data.extend(number.to_le_bytes());
        data.extend(machine.to_le_bytes());
        data.extend([0; 8]);
        args.iter().for_each(|arg| data.extend(arg.to_le_bytes()));
        let word = |at: u32| u32::from_le_bytes(data[at as usize..at as usize + 4].try_into().unwrap());
        let (mut at, mut a) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = filter[at];
            at += 1;
            let jump = |holds: bool| usize::from(if holds { jt } else { jf });
            match code {
                0x20 => a = word(k),
                0x54 => a &= k,
                0x05 => at += k as usize,
                0x15 => at += jump(a == k),
                0x25 => at += jump(a > k),
                0x35 => at += jump(a >= k),
                0x06 => return k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    const EPERM: u32 = libc::SECCOMP_RET_ERRNO | 1;
    const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | 38;
    const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;

    /// The strictest answer of all filters, as the kernel takes it.
    fn answer(network: Network, machine: u32, number: u32, args: [u64; 6]) -> u32 {
        let rank = |answer: &u32| (answer & 0xffff_0000).cast_signed();
        let filters = compile(network).unwrap();
        filters.iter().map(|filter| run(filter, machine, number, args)).min_by_key(rank).unwrap()
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn calls_are_answered_as_the_table_says() {
        use Network::{Loopback, None as Nothing};
        let here = 0xC000_003E;
        let call = |number: libc::c_long| u32::try_from(number).unwrap();
        let high = 0xdead_beef_0000_0000;
        for (network, machine, number, args, expected) in [
            (Nothing, here, call(libc::SYS_read), [0; 6], ALLOW),
            (Nothing, here, call(libc::SYS_mount), [0; 6], EPERM),
            (Nothing, here, call(libc::SYS_ptrace), [0; 6], EPERM),
            (Nothing, here, call(libc::SYS_clone3), [0; 6], ENOSYS),
            (Nothing, here, call(libc::SYS_io_uring_setup), [0; 6], ENOSYS),
            (Nothing, here, NEWEST_JUDGED, [0; 6], ALLOW),
            (Nothing, here, NEWEST_JUDGED + 1, [0; 6], ENOSYS),
            (Nothing, here, 0x3fff_ffff, [0; 6], ENOSYS),
            (Nothing, here, 0x4000_0000, [0; 6], KILL),
            (Nothing, here, 0x4000_0000 | call(libc::SYS_ptrace), [0; 6], KILL),
            (Nothing, 0x4000_0003, 11, [0; 6], KILL),
            (Nothing, here, call(libc::SYS_clone), [0x11, 0, 0, 0, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_clone), [0x1000_0011, 0, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_clone), [0x0002_0011, 0, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_ioctl), [0, 0x5413, 0, 0, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_ioctl), [0, 0x5412, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_ioctl), [0, high | 0x5412, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_ioctl), [0, high | 0x541c, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_chmod), [0, 0o755, 0, 0, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_chmod), [0, 0o4755, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_fchmodat), [0, 0, 0o2755, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_openat), [0, 0, 0o101, 0o4755, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_openat), [0, 0, 0, 0o4755, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_openat), [0, 0, 0o101, 0o644, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_socket), [1, 1, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_socket), [2, 1, 0, 0, 0, 0], EPERM),
            (Loopback, here, call(libc::SYS_socket), [2, 0x80001, 0, 0, 0, 0], ALLOW),
            (Loopback, here, call(libc::SYS_socket), [10, 2, 17, 0, 0, 0], ALLOW),
            (Loopback, here, call(libc::SYS_socket), [2, 3, 1, 0, 0, 0], EPERM),
            (Loopback, here, call(libc::SYS_socket), [2, 2, 1, 0, 0, 0], EPERM),
            (Loopback, here, call(libc::SYS_socket), [2, 1, 262, 0, 0, 0], EPERM),
            (Loopback, here, call(libc::SYS_socket), [1, 1, 0, 0, 0, 0], EPERM),
            (Loopback, here, call(libc::SYS_socket), [16, 3, 0, 0, 0, 0], EPERM),
            (Loopback, here, call(libc::SYS_socket), [40, 1, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_socketpair), [1, 0x80801, 0, 0, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_socketpair), [1, 5, 0, 0, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_socketpair), [1, 2, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_socketpair), [1, 3, 0, 0, 0, 0], EPERM),
            (Nothing, here, call(libc::SYS_socketpair), [high | 1, high | 1, 0, 0, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_personality), [0xffff_ffff, 0, 0, 0, 0, 0], ALLOW),
            (Nothing, here, call(libc::SYS_personality), [0x0400_0000, 0, 0, 0, 0, 0], EPERM),
        ] {
            assert_eq!(answer(network, machine, number, args), expected, "{network:?} {number} {args:x?}");
        }
    }
}
