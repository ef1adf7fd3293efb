//! One connection of a program to the proxy: what it asks for is read, judged, and handed on, or it ends here.

use super::{
    ProxyBounds,
    contacts::{Ledger, Meter},
    head::{self, Asked, Bad, Target},
    hello::{self, Hello},
};
use crate::{adapters::egress::Gate, model::Host};
use std::{
    future::pending,
    io,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    sync::Notify,
    time::timeout,
};

/// How long a host may take to be found and to answer.
const CONNECT_TIME: Duration = Duration::from_secs(15);
/// A fatal TLS alert, `unrecognized_name` (RFC 6066, 9), so that a client says more than that the connection broke.
const UNRECOGNIZED_NAME: [u8; 7] = [21, 3, 1, 0, 2, 2, 112];

/// Serves one connection to its end.
pub(super) async fn serve(inside: TcpStream, gate: Gate, bounds: ProxyBounds, ledger: Ledger) {
    let mut connection = Connection { inside, arrived: Vec::new(), gate, bounds, ledger };
    // Who breaks off is answered by nothing; what was refused is in the ledger.
    connection.run().await.ok();
}

struct Connection {
    inside: TcpStream,
    /// What was read and not yet handed on.
    arrived: Vec<u8>,
    gate: Gate,
    bounds: ProxyBounds,
    ledger: Ledger,
}

impl Connection {
    async fn run(&mut self) -> io::Result<()> {
        match timeout(self.bounds.head_time, self.asked()).await {
            Err(_) => self.refuse("408 Request Timeout", None, "its head took too long").await,
            Ok(Err(error)) => Err(error),
            Ok(Ok(Err(bad))) => self.refuse(bad.status, bad.target.as_ref(), &bad.why).await,
            Ok(Ok(Ok(Asked::Tunnel(target)))) => self.tunnel(target).await,
            Ok(Ok(Ok(Asked::Plain { target, head, body }))) => self.plain(target, head, body).await,
        }
    }

    /// Reads the head; what follows it stays in `arrived`.
    async fn asked(&mut self) -> io::Result<Result<Asked, Bad>> {
        loop {
            match head::read(&self.arrived) {
                Err(bad) => return Ok(Err(bad)),
                Ok(Some((asked, length))) => {
                    self.arrived.drain(..length);
                    return Ok(Ok(asked));
                }
                Ok(None) if self.arrived.len() >= self.bounds.head => {
                    let status = "431 Request Header Fields Too Large";
                    let why = format!("its head is longer than {} bytes", self.bounds.head);
                    return Ok(Err(Bad { status, why, target: None }));
                }
                Ok(None) => self.more().await?,
            }
        }
    }

    async fn more(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        match self.inside.read(&mut buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                self.arrived.extend_from_slice(&buffer[..n]);
                Ok(())
            }
        }
    }

    async fn refuse(&mut self, status: &str, target: Option<&Target>, why: &str) -> io::Result<()> {
        let (host, port) = target.map_or((String::new(), 0), |t| (t.host.to_string(), t.port));
        self.ledger.refused(&host, port, why);
        let body = format!("refused: {why}\n");
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        self.inside.write_all(format!("{head}{body}").as_bytes()).await?;
        self.inside.shutdown().await?;
        // What is left unread when a socket closes makes the kernel throw the answer away.
        let mut rest = [0; 4096];
        let drain = async { while self.inside.read(&mut rest).await.is_ok_and(|n| n > 0) {} };
        timeout(Duration::from_secs(1), drain).await.ok();
        Ok(())
    }

    /// Connects through the gate, or says why not.
    async fn reach(&mut self, target: &Target) -> io::Result<Option<TcpStream>> {
        let (gate, to) = (self.gate.clone(), target.clone());
        let connect = move || gate.connect_to(&to.host, to.port, Instant::now() + CONNECT_TIME);
        match tokio::task::spawn_blocking(connect).await.map_err(io::Error::other)? {
            Ok(stream) => {
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                TcpStream::from_std(stream).map(Some)
            }
            Err(refusal) => {
                let status = if refusal.is_rule() { "403 Forbidden" } else { "502 Bad Gateway" };
                self.refuse(status, Some(target), &refusal.to_string()).await.map(|()| None)
            }
        }
    }

    async fn tunnel(&mut self, target: Target) -> io::Result<()> {
        let Some(outside) = self.reach(&target).await? else { return Ok(()) };
        self.inside.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        let greeted = match timeout(self.bounds.head_time, self.greeting(&target.host)).await {
            Ok(greeted) => greeted?,
            Err(_) => Err("its greeting took too long".to_owned()),
        };
        if let Err(why) = greeted {
            self.ledger.refused(&target.host.to_string(), target.port, &why);
            return self.inside.write_all(&UNRECOGNIZED_NAME).await;
        }
        let first = std::mem::take(&mut self.arrived);
        self.relay(outside, &target, &first, u64::MAX).await
    }

    /// Waits for the greeting, and holds its name against the host that the tunnel was asked for.
    async fn greeting(&mut self, host: &Host) -> io::Result<Result<(), String>> {
        loop {
            match hello::read(&self.arrived) {
                Err(why) => return Ok(Err(why.to_owned())),
                Ok(Hello::Complete(name)) => return Ok(same_name(name.as_deref(), host)),
                Ok(Hello::Partial) if self.arrived.len() > 2 * hello::MOST => {
                    return Ok(Err("its greeting is too long".to_owned()));
                }
                Ok(Hello::Partial) => self.more().await?,
            }
        }
    }

    async fn plain(&mut self, target: Target, mut head: Vec<u8>, body: u64) -> io::Result<()> {
        let Some(outside) = self.reach(&target).await? else { return Ok(()) };
        let arrived = std::mem::take(&mut self.arrived);
        // Only what belongs to this request: a second one behind it could be for another host.
        let begun = usize::try_from(body).unwrap_or(usize::MAX).min(arrived.len());
        head.extend_from_slice(&arrived[..begun]);
        self.relay(outside, &target, &head, body - begun as u64).await
    }

    /// Copies both ways, at most so much of it up, until the host has said everything or nothing moves.
    async fn relay(
        &mut self,
        mut outside: TcpStream,
        target: &Target,
        first: &[u8],
        up: u64,
    ) -> io::Result<()> {
        let meter = self.ledger.reached(&target.host.to_string(), target.port);
        outside.write_all(first).await?;
        meter.sent(first.len() as u64);
        let moved = Notify::new();
        let (inside_read, inside_write) = self.inside.split();
        let (outside_read, outside_write) = outside.split();
        let down = pump(outside_read, inside_write, u64::MAX, &moved, |n| meter.received(n));
        tokio::select! {
            done = down => done,
            broken = upwards(inside_read, outside_write, up, &moved, &meter) => broken,
            () = idle(&moved, self.bounds.idle) => Ok(()),
        }
    }
}

/// Whether a greeting names the host; an address has no name (RFC 6066, 3).
fn same_name(name: Option<&str>, host: &Host) -> Result<(), String> {
    match (name, host) {
        (None, Host::Ip(_)) => Ok(()),
        (Some(name), Host::Name(_)) if Host::parse(name).as_ref() == Ok(host) => Ok(()),
        (None, Host::Name(_)) => Err("its greeting names no server".to_owned()),
        (Some(name), _) => Err(format!("its greeting names `{}`", crate::text::line(name, 100))),
    }
}

/// The way up; its end is not the end, its breaking is.
async fn upwards(
    from: ReadHalf<'_>,
    to: WriteHalf<'_>,
    most: u64,
    moved: &Notify,
    meter: &Meter,
) -> io::Result<()> {
    match pump(from, to, most, moved, |n| meter.sent(n)).await {
        Ok(()) => pending().await,
        Err(error) => Err(error),
    }
}

/// Copies at most so many bytes; the end of the source is handed on, the end of what is allowed is not.
async fn pump(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    most: u64,
    moved: &Notify,
    count: impl Fn(u64),
) -> io::Result<()> {
    let mut buffer = vec![0; 16 << 10];
    let mut left = most;
    while left > 0 {
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let n = from.read(&mut buffer[..room]).await?;
        if n == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..n]).await?;
        count(n as u64);
        left -= n as u64;
        moved.notify_one();
    }
    Ok(())
}

/// Ends when nothing has moved for so long.
async fn idle(moved: &Notify, bound: Duration) {
    while timeout(bound, moved.notified()).await.is_ok() {}
}
