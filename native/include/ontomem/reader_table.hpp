// LMDB's reader table (lock.mdb), kept safe where LMDB alone would lose it.
#pragma once

namespace ontomem {

inline constexpr int kReaderTableUnwritable = -2;
inline constexpr int kReaderTableNoRoom = -3;

/// LMDB marks its reader table as used by a POSIX lock, and the kernel drops a process's POSIX locks on a
/// file as soon as any descriptor of it is closed, which LMDB does when a process opens a store twice. The
/// next process would then take the table for unused and wipe it. So one descriptor a process stays open
/// for as long as the process has the store open, and puts the mark back. The table is also given its blocks:
/// LMDB maps it with holes, and a full disk would end the process at its first use.
/// Call all three while no other process opens or closes the store.
/// @returns a ticket >= 0, kReaderTableUnwritable or kReaderTableNoRoom.
int holdReaderTable(const char* path) noexcept;

/// Puts the mark back, after LMDB has opened the store.
void markReaderTable(int ticket) noexcept;

/// Gives the ticket back, after LMDB has closed the store.
void dropReaderTable(int ticket) noexcept;

}  // namespace ontomem
