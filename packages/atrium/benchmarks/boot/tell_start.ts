import type { Ignitor } from '@adonisjs/core'
import type { createServer } from 'node:http'
import { usedMemory } from './used_memory.js'

/**
 * Starts an application as a web server, or for the `ace` command of the arguments, and sends the cost of
 * its start to the parent process.
 */
export async function tellStart(
  ignitor: Ignitor,
  createNodeServer?: (handler: any) => ReturnType<typeof createServer>
): Promise<void> {
  const command = process.argv.slice(2)
  if (command.length > 0) {
    process.on('exit', () => process.send!({ cpu: cpu() }))
    await ignitor.ace().handle(command)
    return
  }
  await ignitor.httpServer().start(createNodeServer)
  const started = { milliseconds: performance.now(), cpu: cpu() }
  process.on('disconnect', () => process.exit())
  process.on('message', () => process.send!({ cpu: cpu() }))
  process.send!({ ...started, ...(await usedMemory()) })
}

/** CPU milliseconds since the process began, which other programs disturb least. */
function cpu() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
