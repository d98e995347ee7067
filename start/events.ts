/*
 * Tells whoever started the server where to look.
 */
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import { resources } from '#crud'

emitter.on('http:server_ready', ({ host, port }) => {
  if (app.inProduction) return
  const name = ['0.0.0.0', '::', '127.0.0.1'].includes(host) ? 'localhost' : host
  const origin = `http://${name}:${port}`
  const paths = resources.endpoints().map((endpoints) => endpoints.path)
  const lines = [`${origin}/`, ...paths.map((path) => `${origin}${path}`)]
  console.log(`\nOpen:\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
})
