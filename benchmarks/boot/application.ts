/*
 * The application with generated models: as a web server, or for one `ace` command. Sends the cost
 * of its start to the parent process.
 */
import { createNodeServer } from '#host/node_server'
import rcFile from '../../adonisrc.js'
import { createIgnitor } from '../helpers/ignitor.js'
import { usedMemory } from './used_memory.js'

const command = process.argv.slice(2)

const ignitor = createIgnitor((app) => {
  app.rcContents({ ...rcFile, directories: { models: process.env.BENCH_MODELS! } })
  /* The endpoints would require a token in production. */
  app.booted(() => app.config.set('crud.access', 'public'))
})

/** CPU milliseconds since the process began, which other programs disturb least. */
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
  process.on('disconnect', () => process.exit())
  process.on('message', () => process.send!({ cpu: cpu() }))
  process.send!({ ...started, ...(await usedMemory()) })
}
