import { existsSync } from 'node:fs'
import app from '@adonisjs/core/services/app'
import { defineConfig, drivers } from '@adonisjs/queue'
import adminConfig from '#config/admin'
import { databaseQueue } from '#upstream/queue_cheap_polling'
import env from '#start/env'

const store = env.get('QUEUE_STORE', 'database')

/* Jobs of the application itself, as `node ace make:job` writes them */
const own = app.makePath('app/jobs')

/**
 * The queue of background jobs. The server's process works them off, unless QUEUE_WORKER is false;
 * `node ace queue:work` does so elsewhere.
 */
export default defineConfig({
  default: store,

  /* Only the chosen one, as a store connects when the application boots. */
  adapters: {
    ...(store === 'database' && {
      /** With the admin's tables */
      database: databaseQueue({ connectionName: adminConfig.adminConnection }),
    }),
    ...(store === 'redis' && { redis: drivers.redis({ connectionName: 'main' }) }),
  },

  worker: {
    /** Jobs that one process runs at a time */
    concurrency: 2,
    /** How often it looks for jobs of other processes; those of its own begin at once */
    idleDelay: '5s',
    /** After this, a job whose process was killed is given to another one */
    stalledThreshold: '30s',
    stalledInterval: '15s',
    /* How often that happens to one job; the job itself gives up earlier, and says so. */
    maxStalledCount: 100,
  },

  locations: existsSync(own) ? [`${own}/**/*.{ts,js}`] : [],
})
