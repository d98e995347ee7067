import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Exception } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import type { BaseSeeder } from '@adonisjs/lucid/seeders'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import env from '#start/env'

/**
 * Fills a database outside production with the demo data, once. The seeder knows itself whether it has
 * already run; whoever deletes its file starts without it.
 */
export async function seedDemo(app: ApplicationService): Promise<void> {
  if (app.inProduction || !env.get('DEMO', true)) return
  const file = app.seedersPath(`demo_seeder${extname(import.meta.filename)}`)
  if (!existsSync(file)) return

  try {
    const { default: DemoSeeder } = (await import(pathToFileURL(file).href)) as {
      default: new (client: QueryClientContract) => BaseSeeder
    }
    const db = await app.container.make('lucid.db')
    await new DemoSeeder(db.connection()).run()
  } catch (error) {
    throw new Exception(
      `The demo data could not be written: ${firstLineOf(error)}\nMend database/seeders/demo_seeder.ts, or take the demo away with: node ace demo:remove`,
      { code: 'E_RUNTIME', cause: error }
    )
  }
}

/** The message without the statement that Knex puts before it, with its values */
function firstLineOf(error: any): string {
  const message = String(error?.message ?? error)
  const start = error?.code ? message.lastIndexOf(`${error.code}: `) : -1
  return message.slice(Math.max(start, 0)).split('\n', 1)[0]
}
