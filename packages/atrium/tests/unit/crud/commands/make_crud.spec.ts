import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import MakeCrud from '#crud/commands/make_crud'
import { appIn } from '#tests/helpers/other_root'

test.group('make:crud', (group) => {
  let root: string

  group.each.setup(async () => {
    const wasTerminal = [process.stdin.isTTY, process.stdout.isTTY]
    process.stdin.isTTY = process.stdout.isTTY = true
    ace.ui.switchMode('raw')
    root = await mkdtemp(app.makePath('tmp/make-'))
    return async () => {
      ;[process.stdin.isTTY, process.stdout.isTTY] = wasTerminal
      ace.ui.switchMode('normal')
      ace.prompt.traps.prompts.clear()
      await rm(root, { recursive: true })
    }
  })

  async function create(args: string[]) {
    const command = await ace.create(MakeCrud, args)
    command.app = appIn(root)
    return command
  }

  test('[P12] make:crud prints the written files, the endpoints and the next steps', async ({
    assert,
  }) => {
    const command = await create(['order_lines', 'text', 'amount:integer?', 'parts:hasMany'])
    await command.exec()
    command.assertSucceeded()
    const said = command.logger.getLogs().map(({ message }) => message)
    assert.match(said.join('\n'), /create app\/models\/order_line\.ts/)
    assert.match(said.join('\n'), /create tests\/functional\/order_lines\.spec\.ts/)
    assert.match(said.join('\n'), /There is no Part yet, .* make:crud Part order_line:belongsTo/)
    assert.match(
      said.at(-1)!,
      /node ace migration:run, .*\nThen .* \/api\/order-lines, .* Order lines/
    )
    await access(join(root, 'app/models/order_line.ts'))
  })

  test('[P12] [K3] the next steps that make:crud prints for {kind} include: {step}')
    .with([
      { kind: 'a clone', file: 'scripts/start.js', step: /npm start, which migrates/ },
      { kind: 'an application', file: 'adonisrc.ts', step: /node ace migration:run, then start/ },
    ])
    .run(async ({ assert }, { file, step }) => {
      await mkdir(join(root, file, '..'), { recursive: true })
      await writeFile(join(root, file), '')
      const command = await create(['Moon', 'name'])
      await command.exec()
      const said = command.logger.getLogs().map(({ message }) => message)
      assert.match(said.at(-1)!, step)
      assert.match(said.at(-1)!, /Its test: node ace test --files=tests\/functional\/moons\.spec/)
      assert.match(said.join('\n'), /The test needs adminApiClient\(\) .* in plugins of tests/)
    })

  test('[K12] [P12] make:crud does not write into a build: {$self}')
    .with(['Moon name', '--all', '--from-table=owls'])
    .run(async ({ assert }, text) => {
      await writeFile(join(root, 'adonisrc.js'), '')
      const command = await create(text.split(' '))
      await command.exec()
      command.assertFailed()
      const [{ message }, ...others] = command.logger.getLogs()
      assert.match(message, /This is a build .* Run it where adonisrc\.ts is, then build again/)
      assert.isEmpty(others)
      assert.deepEqual(await readdir(root), ['adonisrc.js'])
    })

  test('[P12] make:crud prompts for missing arguments until a field is left empty', async ({
    assert,
  }) => {
    const command = await create([])
    command.prompt
      .trap('Name of the model')
      .assertFails('', /can't be a model/)
      .assertPasses('Moon')
      .replyWith('Moon')
    command.prompt
      .trap('First field')
      .assertFails('', /is not a field/)
      .assertFails('a:nope', /there is no type 'nope'/)
      .assertPasses('name:string')
      .replyWith('name:string')
    command.prompt
      .trap('Next field')
      .assertFails('name:text', /name is there twice/)
      .assertPasses('')
      .replyWith('')
    await command.exec()
    command.assertSucceeded()
    await access(join(root, 'app/models/moon.ts'))
    assert.isEmpty(ace.prompt.traps.prompts)
  })

  test('[P12] make:crud does not prompt for a given name', async () => {
    const command = await create(['Moon'])
    command.prompt.trap('First field').replyWith('name')
    command.prompt.trap('Next field').replyWith('')
    await command.exec()
    command.assertSucceeded()
    await access(join(root, 'app/models/moon.ts'))
  })

  test('[P12] make:crud without a terminal lists the missing arguments in one line: {$self}')
    .with([[], ['Moon']])
    .run(async ({ assert }, args) => {
      process.stdin.isTTY = false
      const command = await create(args)
      await command.exec()
      command.assertExitCode(1)
      const logs = command.logger.getLogs()
      assert.lengthOf(logs, 1)
      assert.equal(logs[0].stream, 'stderr')
      assert.match(logs[0].message, /give a name and fields, as in: node ace make:crud Invoice/)
    })

  test('[K12] make:crud refuses a name, --all and --from-table together: {$self}')
    .with([
      ['Moon', '--all'],
      ['Moon', '--from-table=moons'],
      ['--all', '--from-table=moons'],
    ])
    .run(async ({ assert }, args) => {
      const command = await create(args)
      await command.exec()
      command.assertExitCode(1)
      assert.match(command.logger.getLogs()[0].message, /Give --all, or --from-table .*only one/)
    })

  test('[K12.2] make:crud --check lists the differences between models and tables, and exits with 1', async ({
    assert,
  }) => {
    await mkdir(join(root, 'app/models'), { recursive: true })
    await writeFile(
      join(root, 'app/models/moon.ts'),
      `import { BaseModel, column } from '@adonisjs/lucid/orm'
      export default class Moon extends BaseModel {
        @column({ isPrimary: true })
        declare id: number
      }`
    )
    const command = await create(['--check'])
    await command.exec()
    command.assertExitCode(1)
    assert.deepEqual(
      command.logger.getLogs().map(({ message }) => message),
      ['Moon: there is no table moons']
    )
  })

  test('[P12] make:crud prints an error as one line on standard error, and exits with status 1', async ({
    assert,
  }) => {
    const command = await create(['Moon', 'name', 'size:huge'])
    await command.exec()
    command.assertExitCode(1)
    const logs = command.logger.getLogs()
    assert.lengthOf(logs, 1)
    assert.equal(logs[0].stream, 'stderr')
    assert.match(logs[0].message, /size: there is no type 'huge'; types are string\(255\), /)
  })
})
