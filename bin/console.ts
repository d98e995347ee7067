/*
 * The entry point of every `node ace` command.
 */
import './node_version.js'
import './compile_cache.js'

process.env.TZ = 'UTC'

await import('reflect-metadata')
const { Ignitor, prettyPrintError } = await import('@adonisjs/core')
const { plainReason } = await import('./fail_start.js')
const { default: VineProvider } = await import('@adonisjs/core/providers/vinejs_provider')

const APP_ROOT = new URL('../', import.meta.url)

const IMPORTER = (filePath: string) => {
  if (filePath.startsWith('./') || filePath.startsWith('../')) {
    return import(new URL(filePath, APP_ROOT).href)
  }
  return import(filePath)
}

new Ignitor(APP_ROOT, { importer: IMPORTER })
  .tap((app) => {
    /*
     * Commands are imported before the application boots, and so are models whose schemas have
     * vine.file().
     */
    new VineProvider(app).boot()
    app.booting(async () => {
      const { generateIndexes } = await import('adonis-atrium/server')
      await generateIndexes(app)
      await import('#start/env')
    })
    /* Anything that a command has started itself, such as the server of `serve`, ends with the process. */
    app.listen('SIGTERM', () => app.terminate().finally(() => process.exit(143)))
    app.listenIf(app.managedByPm2, 'SIGINT', () => app.terminate())
  })
  .ace()
  .configure(async (app) => {
    /* Errors that the caller can fix are printed without a stack. */
    const kernel = await app.container.make('ace')
    const usual = kernel.errorHandler
    kernel.errorHandler = {
      async render(error, of) {
        const reason = plainReason(error)
        if (reason) of.ui.logger.error(reason)
        else await usual.render(error, of)
      },
    }
  })
  .handle(process.argv.splice(2))
  .catch((error) => {
    process.exitCode = 1
    const reason = plainReason(error)
    if (reason) console.error(reason)
    else prettyPrintError(error)
  })
