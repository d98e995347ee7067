import type { ApplicationService } from '@adonisjs/core/types'
import { defineConfig } from '#crud/define_config'
import { crudConfig } from '#crud/settings'

/**
 * Stops the application when the process gets a signal: requests are finished, events are logged, the
 * databases are closed. A stop during the start waits for its end, so that no migration is left half
 * done. Work that takes longer than the grace time of config/crud.ts is cut off, with status 1.
 *
 * @param started  settles when the application listens, or has failed to start
 */
export function stopOnSignal(app: ApplicationService, started: Promise<unknown>): void {
  let isStopping = false
  const stop = () => {
    /* Ctrl-C reaches every process of a terminal, and `npm start` passes it on once more. */
    if (isStopping) return
    isStopping = true
    /* A signal may arrive before the configuration is loaded. */
    const { graceSeconds } = (app.config ? crudConfig() : defineConfig()).server
    setTimeout(() => {
      console.error(`The server did not stop within ${graceSeconds} seconds: the rest is cut off`)
      process.exit(1)
    }, graceSeconds * 1000).unref()
    void started.then(
      () => app.terminate(),
      () => {}
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
