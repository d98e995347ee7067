import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { crudConfig, resources } from '#crud'
import CrudProvider from '#crud/crud_provider'
import Doctor from '#host/commands/doctor'
import { findingsOf, type Finding } from '#host/findings'
import { VERSION } from '#host/version'

const BROKEN = `
  import { BaseModel, column } from '@adonisjs/lucid/orm'
  import { Crud } from '#crud'
  @Crud({ tags: 5 as any })
  export class Broken extends BaseModel {
    @column({ isPrimary: true })
    declare id: number
  }
  export class Plain extends BaseModel {
    static table = 'plain'
    @column({ isPrimary: true })
    declare id: number
  }`

interface Report {
  version: string
  findings: Finding[]
  exitCode: number | undefined
}

async function examine(...args: string[]): Promise<Report> {
  const command = await ace.create(Doctor, ['--json', ...args])
  await command.exec()
  const line = command.logger.getLogs().at(-1)!
  return { ...JSON.parse(line.message), exitCode: command.exitCode }
}

const textsOf = ({ findings }: Report, severity: Finding['severity']) =>
  findings.filter((one) => one.severity === severity).map(({ text }) => text)

test.group('atrium:doctor', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('[K11] atrium:doctor reports a pending migration with its name and the fix, and exits with status 1', async ({
    assert,
    cleanup,
  }) => {
    const [done] = await db.from('adonis_schema').orderBy('id', 'desc').limit(1)
    await db.from('adonis_schema').where('id', done.id).delete()
    cleanup(async () => {
      await db.table('adonis_schema').insert(done)
    })

    const report = await examine()
    assert.equal(report.version, VERSION)
    assert.equal(report.exitCode, 1)
    const [pending] = textsOf(report, 'error')
    assert.include(pending, done.name)
    assert.include(pending, 'node ace migrate')
    /* Errors come first. */
    assert.equal(report.findings[0].severity, 'error')
  })

  test('[K11] atrium:doctor --production checks the settings of a production server, and shows no secrets', async ({
    assert,
    cleanup,
  }) => {
    const given = app.config.get<object>('app')
    app.config.set('app', { ...given, appUrl: 'http://shop.example.com' })
    cleanup(() => app.config.set('app', given))

    const usual = await examine()
    assert.notInclude(textsOf(usual, 'warning').join('\n'), 'APP_URL')
    const asProduction = await examine('--production')
    assert.include(
      textsOf(asProduction, 'warning').join('\n'),
      'APP_URL (appUrl of config/app.ts) is http://shop'
    )
    const key = app.config.get<{ release(): string }>('admin.appKey').release()
    assert.notInclude(JSON.stringify(asProduction), key)
  })

  test('[K11] atrium:doctor warns of settings that name missing files', async ({
    assert,
    cleanup,
  }) => {
    const given = app.config.get('crud')
    app.config.set('crud', {
      ...crudConfig(),
      excludedModels: ['no_such_model.ts'],
      excludedMigrations: ['database/migrations/1_none'],
    })
    cleanup(() => app.config.set('crud', given))
    const warnings = textsOf(await examine(), 'warning').join('\n')
    assert.include(warnings, 'excludedModels names no_such_model')
    assert.include(warnings, 'excludedMigrations names database/migrations/1_none')
  })

  test('[K11] [P10] atrium:doctor warns that a model without an access option requires a token in production', async ({
    assert,
    cleanup,
  }) => {
    const given = app.config.get('crud')
    app.config.set('crud', { ...crudConfig(), access: 'public', isAccessDecided: false })
    cleanup(() => app.config.set('crud', given))
    const warnings = textsOf(await examine('--production'), 'warning').join('\n')
    assert.match(warnings, /No access is set for .*Reel.*: in production the endpoints require/)
    assert.notInclude(warnings, 'Everybody can write')
  })

  test('[K11] atrium:doctor lists a model with its error, and not as a model without a decorator', async ({
    assert,
    cleanup,
  }) => {
    const folder = app.makePath('tmp', `doctor-${process.pid}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'broken.ts'), BROKEN)
    cleanup(async () => {
      resources.errors.length = 0
      await rm(folder, { recursive: true })
    })
    const changed = {
      modelsPath: () => folder,
      getEnvironment: () => 'console',
      terminating: () => {},
    }
    const other = new Proxy(app, {
      get(_, name) {
        const value = Reflect.get(changed, name) ?? Reflect.get(app, name)
        return typeof value === 'function' ? value.bind(app) : value
      },
    })
    await new CrudProvider(other).start()
    const findings = await findingsOf(other, false)
    const texts = findings.map(({ severity, text }) => `${severity}: ${text}`).join('\n')
    assert.match(texts, /error: Broken: tags is 5, and must be a list of strings/)
    assert.match(texts, /note: Plain \(.*broken\.ts\) has neither endpoints nor pages/)
    assert.notMatch(texts, /Broken \(.*\) has neither/)
  })
})
