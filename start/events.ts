/* Prints the addresses to open after the start. */
import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import { AdminSite, AdminUser } from 'adonis-atrium/admin'
import { resources, docsPath } from 'adonis-atrium'

emitter.on('http:server_ready', async ({ host, port }) => {
  const site = await app.container.make(AdminSite)
  if (!app.inProduction) {
    const name = ['0.0.0.0', '::', '127.0.0.1'].includes(host) ? 'localhost' : host
    const paths = resources.endpoints().flatMap(({ listPath }) => listPath ?? [])
    const open = new Set([site.url('/'), '/', docsPath() ?? '/', ...paths])
    console.log(
      `\nOpen:\n${[...open].map((path) => `  http://${name}:${port}${path}`).join('\n')}\n`
    )
  }
  if (await hasNoAdminUser()) {
    console.log('No admin user yet. Make one with: node ace admin:create')
  }
})

/** False if the table is missing: this must not stop the server from starting. */
async function hasNoAdminUser(): Promise<boolean> {
  try {
    return (await AdminUser.query().first()) === null
  } catch {
    return false
  }
}
