import type { Scenario } from './scenario.js'
import { concurrentBulk } from './scenarios/concurrent_bulk.js'
import { bulkDeletes } from './scenarios/bulk_deletes.js'
import { databaseAway } from './scenarios/database_away.js'
import { diskFull } from './scenarios/disk_full.js'
import { idleConnections } from './scenarios/idle_connections.js'
import { kill } from './scenarios/kill.js'
import { killedWebhooks } from './scenarios/killed_webhooks.js'
import { concurrentImport } from './scenarios/concurrent_import.js'
import { killedImports } from './scenarios/killed_imports.js'
import { killedJobs } from './scenarios/killed_jobs.js'
import { largeBody } from './scenarios/large_body.js'
import { largeLists } from './scenarios/large_lists.js'
import { lockedFile } from './scenarios/locked_file.js'
import { migrations } from './scenarios/migrations.js'
import { powerLoss } from './scenarios/power_loss.js'
import { slowClients } from './scenarios/slow_clients.js'

export const SCENARIOS: Scenario[] = [
  kill,
  powerLoss,
  databaseAway,
  diskFull,
  lockedFile,
  slowClients,
  idleConnections,
  largeBody,
  largeLists,
  bulkDeletes,
  killedJobs,
  killedImports,
  killedWebhooks,
  concurrentImport,
  concurrentBulk,
  migrations,
]
