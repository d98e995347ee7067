/* Background jobs: the queue emptied, worked on by this process, and waited for. */
import { setTimeout as sleep } from 'node:timers/promises'
import db from '@adonisjs/lucid/services/db'
import type AdminJob from '#admin/models/admin_job'
import { isUnfinished } from '#admin/models/admin_job'
import { adminSite } from '#tests/helpers/admin'

/* Milliseconds without progress after which a job counts as stuck, however slow the machine is */
const STUCK = 15_000

export async function emptyJobTables(): Promise<void> {
  for (const table of ['admin_queue_jobs', 'admin_job_chunks', 'admin_jobs']) {
    await db.from(table).delete()
  }
}

/**
 * Works on the queue until the test ends.
 *
 * @returns a function that stops it
 */
export async function work(): Promise<() => Promise<void>> {
  const { jobs } = await adminSite()
  await jobs.work()
  return () => jobs.stop()
}

export async function findJob(id: number): Promise<AdminJob> {
  const { jobs } = await adminSite()
  const job = await jobs.store.find(id)
  if (!job) throw new Error(`There is no job ${id}`)
  return job
}

/** Waits until a job is as wanted; by default until it has ended. */
export async function untilJob(
  id: number,
  isWanted: (job: AdminJob) => boolean = (job) => !isUnfinished(job)
): Promise<AdminJob> {
  let end = Date.now() + STUCK
  let last = ''
  for (;;) {
    const job = await findJob(id)
    if (isWanted(job)) return job
    const progress = JSON.stringify([job.state, job.done, job.notes])
    if (progress !== last) end = Date.now() + STUCK
    last = progress
    if (Date.now() > end) throw new Error(`Job ${id} is still ${job.state} (${job.done} done)`)
    await sleep(20)
  }
}
