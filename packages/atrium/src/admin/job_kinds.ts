import type { AdminSite } from './admin_site.js'
import type { JobKind } from './jobs/job_kind.js'
import { lazyPart } from './http/lazy_part.js'

/**
 * Registers the site's kinds of jobs. The module of a kind is loaded when the first job of that kind is run or shown.
 * The names are stored with jobs, so they must not change.
 */
export function registerJobKinds(site: AdminSite): void {
  const kind = <Module>(
    name: string,
    load: () => Promise<Module>,
    make: (module: Module) => JobKind
  ) => site.jobs.register(name, lazyPart(load, make))
  kind(
    'bulk',
    () => import('./bulk/bulk_job.js'),
    ({ BulkJob }) => new BulkJob(site)
  )
  kind(
    'merge',
    () => import('./duplicates/merge_job.js'),
    ({ MergeJob }) => new MergeJob(site)
  )
  kind(
    'import_trial',
    () => import('./import/jobs/import_job.js'),
    ({ ImportDryRunJob }) => new ImportDryRunJob(site)
  )
  kind(
    'import',
    () => import('./import/jobs/import_job.js'),
    ({ ImportJob }) => new ImportJob(site)
  )
  kind(
    'export',
    () => import('./export/export_job.js'),
    ({ ExportJob }) => new ExportJob(site)
  )
  kind(
    'undo',
    () => import('./undo/job_undo.js'),
    ({ UndoJob }) => new UndoJob(site)
  )
  kind(
    'undo-parts',
    () => import('./undo/job_undo.js'),
    ({ UndoPartsJob }) => new UndoPartsJob(site)
  )
  kind(
    'webhook_replay',
    () => import('./webhooks/replay_job.js'),
    ({ ReplayJob }) => new ReplayJob(site)
  )
  kind(
    'undo-session',
    () => import('./mcp/session_undo.js'),
    ({ UndoSessionJob }) => new UndoSessionJob(site)
  )
}
