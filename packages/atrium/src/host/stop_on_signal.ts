import type { ApplicationService } from '@adonisjs/core/types'
import { defineConfig } from '#crud/define_config'
import { crudConfig } from '#crud/settings'

/**
 * Stops the application when the process receives a signal: requests are finished, events are logged, and the databases
 * are closed. A stop during startup waits for the end of the startup, so that no migration is left incomplete. Work
 * that takes longer than the grace time of config/crud.ts is aborted, with exit status 1.
 *
 * @param started  settles when the application listens, or has failed to start
 */
export function stopOnSignal(app: ApplicationService, started: Promise<unknown>): void {
  let isStopping = false
  const stop = () => {
    /* Ctrl-C is sent to every process of a terminal, and `npm start` forwards it again. */
    if (isStopping) return
    isStopping = true
    /* A signal can arrive before the configuration is loaded. */
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
