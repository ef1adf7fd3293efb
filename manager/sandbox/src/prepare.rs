//! From a specification to an order: everything that can be refused without trying it on the kernel.

use crate::helper_path::Helper;
use crate::refused::Refused;
use crate::spec::{Spec, Stdin, System, Writes};
use crate::wire::{Access, Order, Place, Root, Stamp};
use crate::{Digest, aside, blocked};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A run that only needs to be started.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) helper: Helper,
    pub(crate) order: Order,
    pub(crate) stdin: Vec<u8>,
}

/// What the kernel takes of arguments and environment together, and of one of them, less room for its own.
const ALL_STRINGS: usize = (2 << 20) - (64 << 10);
const ONE_STRING: usize = (128 << 10) - 1;

/// Never to be a root: what is private to each run, or the kernel's own.
const PRIVATE: &[&str] = &["/", "/tmp", "/var/tmp"];
const KERNELS: &[&str] = &["/proc", "/sys", "/dev"];

impl Spec {
    /// Checks everything that can be checked without starting anything.
    ///
    /// # Errors
    /// When a path is missing or too wide, the executable is not the pinned one, a value cannot be handed to a
    /// program, or there is no helper.
    pub fn prepare(&self) -> Result<Prepared, Refused> {
        self.prepare_with(Helper::this_program()?)
    }

    /// Does the same with another program as the helper.
    ///
    /// # Errors
    /// See [`Spec::prepare`].
    pub fn prepare_with(&self, helper: Helper) -> Result<Prepared, Refused> {
        check_strings(self)?;
        check_limits(self)?;
        blocked::compile(&self.blocked).map_err(|why| Refused::value("blocked path", why))?;
        let mut roots = roots(self)?;
        let cwd = cwd(self, &roots)?;
        let (executable, stamp) = executable(self)?;
        if let Writes::Aside(store) = &self.writes {
            aside::arrange(store, &mut roots, &self.blocked)?;
        }
        add_roots(&mut roots, "through root", Access::Write, &self.through_roots)?;
        let order = Order {
            parent: std::process::id().cast_signed(),
            roots,
            links: links(self)?,
            system: self.system == System::Standard,
            blocked: self.blocked.clone(),
            cwd,
            program: self.executable.path.clone().into_os_string(),
            executable,
            stamp,
            args: self.args.clone(),
            env: self.env.iter().map(|v| (v.name.clone(), v.value.clone())).collect(),
            network: self.network,
            limits: self.limits.clone(),
            stdin: match &self.stdin {
                Stdin::Null => None,
                Stdin::Bytes(bytes) => Some(bytes.len()),
            },
            accept_degraded: self.accept_degraded.clone(),
        };
        let stdin = match &self.stdin {
            Stdin::Null => Vec::new(),
            Stdin::Bytes(bytes) => bytes.clone(),
        };
        Ok(Prepared { helper, order, stdin })
    }
}

fn check_strings(spec: &Spec) -> Result<(), Refused> {
    let mut all = spec.executable.path.as_os_str().len() + 1;
    let mut check = |role: &dyn Fn() -> String, text: &OsStr| {
        all += text.len() + 1 + size_of::<usize>();
        if text.as_bytes().contains(&0) {
            return Err(Refused::value(
                role(),
                "it holds a zero byte, at which a program would stop reading",
            ));
        }
        if text.len() > ONE_STRING {
            return Err(Refused::value(role(), format!("it is longer than {ONE_STRING} bytes")));
        }
        Ok(())
    };
    check(&|| "executable".to_owned(), spec.executable.path.as_os_str())?;
    for (number, arg) in spec.args.iter().enumerate() {
        check(&|| format!("argument {}", number + 1), arg)?;
    }
    let mut names = std::collections::BTreeSet::new();
    for variable in &spec.env {
        let role = || format!("variable `{}`", variable.name.to_string_lossy());
        check(&role, &variable.name)?;
        check(&role, &variable.value)?;
        if variable.name.is_empty() || variable.name.as_bytes().contains(&b'=') {
            return Err(Refused::value(role(), "its name is empty or holds `=`"));
        }
        if !names.insert(&variable.name) {
            return Err(Refused::value(role(), "it is there twice"));
        }
    }
    if all > ALL_STRINGS {
        return Err(Refused::value(
            "arguments and environment",
            format!("together they are longer than {ALL_STRINGS} bytes"),
        ));
    }
    Ok(())
}

fn check_limits(spec: &Spec) -> Result<(), Refused> {
    let limits = &spec.limits;
    for (role, zero) in [
        ("timeout", limits.timeout.is_zero()),
        ("memory limit", limits.memory == 0),
        ("limit of processes", limits.processes == 0),
        ("limit of open files", limits.open_files == 0),
        ("output limit", limits.output == 0),
        // an unbounded tmpfs is what a size of zero means to the kernel
        ("limit of temporary bytes", limits.temp == 0),
        ("limit of temporary files", limits.temp_files == 0),
    ] {
        if zero {
            return Err(Refused::value(role, "it is zero"));
        }
    }
    Ok(())
}

fn roots(spec: &Spec) -> Result<Vec<Root>, Refused> {
    let mut roots = Vec::new();
    add_roots(&mut roots, "read root", Access::Read, &spec.read_roots)?;
    add_roots(&mut roots, "write root", Access::Write, &spec.write_roots)?;
    Ok(roots)
}

/// Adds roots, and keeps all in the order of their depth. One that is there already gets the later access.
fn add_roots(
    roots: &mut Vec<Root>,
    role: &'static str,
    access: Access,
    paths: &[PathBuf],
) -> Result<(), Refused> {
    for path in paths {
        let place = resolve(role, path)?;
        let at = place.path();
        if PRIVATE.iter().any(|p| at == Path::new(p)) {
            return Err(Refused::path(role, path, "it is too wide, or private to each run"));
        }
        if KERNELS.iter().any(|p| at.starts_with(p)) {
            return Err(Refused::path(role, path, "it is the kernel's own"));
        }
        if access == Access::Write && !at.is_dir() {
            return Err(Refused::path(role, path, "it is no folder"));
        }
        roots.retain(|root| root.place != place);
        roots.push(Root { place, access, layer: None });
    }
    roots.sort_by_key(|root| root.place.path().components().count());
    Ok(())
}

/// More links than this on one way are a circle.
const MOST_LINKS: usize = 40;

/// The links on the way to everything that the caller names, so that its names mean the same inside.
fn links(spec: &Spec) -> Result<Vec<(OsString, OsString)>, Refused> {
    let roots = spec.read_roots.iter().chain(&spec.write_roots).chain(&spec.through_roots);
    let named = roots.chain([&spec.cwd, &spec.executable.path]);
    let mut links = BTreeMap::new();
    for path in named {
        follow(path, &mut links).map_err(|why| Refused::path("path", path, why))?;
    }
    Ok(links.into_iter().map(|(link, to)| (link.into_os_string(), to.into_os_string())).collect())
}

fn follow(path: &Path, links: &mut BTreeMap<PathBuf, PathBuf>) -> io::Result<()> {
    let mut rest: Vec<_> = path.components().rev().map(|part| part.as_os_str().to_owned()).collect();
    let mut at = PathBuf::from("/");
    let mut followed = 0;
    while let Some(part) = rest.pop() {
        match part.as_bytes() {
            b"/" => at = PathBuf::from("/"),
            b"." => {}
            b".." => drop(at.pop()),
            _ => {
                at.push(part);
                if !at.symlink_metadata()?.is_symlink() {
                    continue;
                }
                followed += 1;
                if followed > MOST_LINKS {
                    return Err(io::Error::other("too many links lead to it"));
                }
                let to = at.read_link()?;
                rest.extend(to.components().rev().map(|part| part.as_os_str().to_owned()));
                links.insert(at.clone(), to);
                at.pop();
            }
        }
    }
    Ok(())
}

fn cwd(spec: &Spec, roots: &[Root]) -> Result<Place, Refused> {
    let cwd = resolve("working folder", &spec.cwd)?;
    if !roots.iter().any(|root| cwd.path().starts_with(root.place.path())) {
        return Err(Refused::path("working folder", &spec.cwd, "it lies in no root"));
    }
    if !cwd.path().is_dir() {
        return Err(Refused::path("working folder", &spec.cwd, "it is no folder"));
    }
    Ok(cwd)
}

fn executable(spec: &Spec) -> Result<(Place, Stamp), Refused> {
    let path = &spec.executable.path;
    let place = resolve("executable", path)?;
    let no = |why: io::Error| Refused::path("executable", path, why);
    let mut file = File::open(place.path()).map_err(no)?;
    let meta = file.metadata().map_err(no)?;
    if !meta.is_file() || meta.permissions().mode() & 0o111 == 0 {
        return Err(Refused::path("executable", path, "it is no file that can be executed"));
    }
    // The stamp is taken before the content, so that a change while it is read is seen as one.
    let stamp = Stamp::of(&meta);
    file.rewind().map_err(no)?;
    let found = Digest::of_reader(&mut file).map_err(no)?;
    let expected = spec.executable.digest;
    if found != expected {
        return Err(Refused::DigestMismatch { path: path.clone(), expected, found });
    }
    Ok((place, stamp))
}

fn resolve(role: &'static str, path: &Path) -> Result<Place, Refused> {
    if !path.is_absolute() {
        return Err(Refused::path(role, path, "it is not absolute"));
    }
    Place::resolve(path).map_err(|why| Refused::path(role, path, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Executable, Limits, Variable};
    use std::time::Duration;

    /// Changes a good specification and says why it is refused.
    fn refused(change: impl FnOnce(&mut Spec, &Path)) -> String {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = std::env::current_exe().unwrap();
        let mut spec = Spec::new(Executable { digest: Digest::of_file(&path).unwrap(), path }, folder.path());
        assert!(
            spec.prepare_with(Helper::at("/nowhere")).is_ok(),
            "the specification is not good to begin with"
        );
        change(&mut spec, folder.path());
        spec.prepare_with(Helper::at("/nowhere"))
            .map_or_else(|refused| refused.to_string(), |_| "(not refused)".into())
    }

    #[test]
    fn what_no_sandbox_could_keep_is_refused_before_anything_starts() {
        type Change = fn(&mut Spec, &Path);
        let table: &[(Change, &str)] = &[
            (|spec, _| spec.read_roots = vec!["/".into()], "too wide"),
            (|spec, _| spec.write_roots = vec!["/tmp".into()], "private to each run"),
            (|spec, _| spec.write_roots = vec!["/dev/shm".into()], "the kernel's own"),
            (|spec, _| spec.read_roots = vec!["/proc/self".into()], "the kernel's own"),
            (|spec, _| spec.read_roots = vec!["relative".into()], "not absolute"),
            (|spec, _| spec.read_roots = vec!["/nowhere/at/all".into()], "No such file"),
            (|spec, _| spec.write_roots = vec![spec.executable.path.clone()], "it is no folder"),
            (|spec, _| spec.cwd = "/usr".into(), "it lies in no root"),
            (
                |spec, at| {
                    spec.write_roots = vec![at.into()];
                    spec.writes = Writes::Aside(at.join("store"));
                },
                "it lies in a root",
            ),
            (|spec, at| spec.executable.path = at.into(), "can be executed"),
            (|spec, _| spec.executable.path = "/etc/passwd".into(), "can be executed"),
            (|spec, _| spec.executable.path = "/usr/bin/env".into(), "its digest is"),
            (|spec, _| spec.blocked = vec!["**".into()], "hides everything"),
            (|spec, _| spec.args = vec!["a\0b".into()], "zero byte"),
            (|spec, _| spec.env = vec![Variable::new("A=B", "")], "holds `=`"),
            (|spec, _| spec.env = vec![Variable::new("A", "1"), Variable::new("A", "2")], "twice"),
            (|spec, _| spec.limits.timeout = Duration::ZERO, "zero"),
            (|spec, _| spec.limits = Limits { temp: 0, ..Limits::default() }, "zero"),
        ];
        for (number, (change, words)) in table.iter().enumerate() {
            let said = refused(change);
            assert!(said.contains(words), "{number}: {said}");
        }
    }

    #[test]
    fn a_program_without_the_helper_in_it_is_not_started_again() {
        assert!(matches!(Helper::this_program(), Err(Refused::NoHelper)));
    }
}
