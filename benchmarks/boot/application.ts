/*
 * The application with other models than its own: as its web server, or for one `ace` command. What it
 * needed to start goes to whoever started it.
 */
process.env.TZ = 'UTC'

await import('reflect-metadata')
const { Ignitor } = await import('@adonisjs/core')
const { createNodeServer } = await import('#host/node_server')
const { default: rcFile } = await import('../../adonisrc.js')

const APP_ROOT = new URL('../../', import.meta.url)
const models = process.env.BENCH_MODELS!
const command = process.argv.slice(2)

const ignitor = new Ignitor(APP_ROOT, {
  importer: (path) => import(path.startsWith('.') ? new URL(path, APP_ROOT).href : path),
}).tap((app) => {
  app.rcContents({ ...rcFile, directories: { models } })
  app.booting(async () => void (await import('#start/env')))
  /* In production they would want a token, which is not what is measured. */
  app.booted(() => app.config.set('crud.access', 'public'))
})

/** Milliseconds of the processor since the process began: others on the machine disturb them least. */
function cpu() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

if (command.length > 0) {
  process.on('exit', () => process.send!({ cpu: cpu() }))
  await ignitor.ace().handle(command)
} else {
  await ignitor.httpServer().start(createNodeServer)
  const started = { milliseconds: performance.now(), cpu: cpu() }
  const { usedMemory } = await import('./used_memory.js')
  process.on('disconnect', () => process.exit())
  process.on('message', () => process.send!({ cpu: cpu() }))
  process.send!({ ...started, ...(await usedMemory()) })
}
