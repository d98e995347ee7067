import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { flags } from '@adonisjs/core/ace'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { ask, Command, CommandFailure } from 'adonis-atrium/commands'
import { DEMO_MIGRATIONS, DEMO_TABLES } from '#database/demo_files'

/** Files and folders of the demo */
const PATHS = [
  'app/admin_cards/gross_by_genre.ts',
  'app/admin_cards/items_sold.ts',
  'app/admin_cards/open_orders.ts',
  'app/admin_cards/orders_by_status.ts',
  'app/admin_cards/orders_this_year.ts',
  'app/admin_cards/orders_to_ship.ts',
  'app/admin_cards/worldwide_gross.ts',
  'app/admin_pages/today.ts',
  'app/models/customer.ts',
  'app/models/distributor.ts',
  'app/models/film.ts',
  'app/models/order.ts',
  'app/models/order_line.ts',
  'app/models/product.ts',
  'database/data',
  'database/factories/distributor_factory.ts',
  'database/factories/film_factory.ts',
  'database/factories/product_factory.ts',
  'database/migrations/1795226400000_create_products_table.ts',
  'database/migrations/1795226400001_create_distributors_table.ts',
  'database/migrations/1795226400002_create_films_table.ts',
  'database/migrations/1795226400003_create_seed_runs_table.ts',
  'database/migrations/1795226400004_create_customers_table.ts',
  'database/migrations/1795226400005_create_orders_table.ts',
  'database/migrations/1795226400006_create_order_lines_table.ts',
  'database/migrations/1795226400007_add_photos_to_products_table.ts',
  'database/seed_demo.ts',
  'database/seeders/demo_seeder.ts',
  'resources/views/admin/today.edge',
  'tests/browser/demo',
  'tests/functional/demo',
  'tests/unit/demo',
  'packages/atrium/tests/demo',
  'packages/atrium/tests/process/demo',
]

/** Passages about the demo in other files, which are removed from them */
const PASSAGES: Array<[file: string, passage: RegExp]> = [
  ['database/prepare.ts', /^.*\bseedDemo\b.*\n/gm],
  ['adonisrc.ts', /^.*'database\/data\/.*\n/gm],
  ['scripts/test_schedule.txt', /^.*\/demo\/.*\n/gm],
  ['README.md', /^<!-- demo -->\n.*?^<!-- \/demo -->\n\n?/gms],
]

/** Lucid's table of completed migrations */
const MIGRATIONS = 'adonis_schema'
/** The role that the seeder makes */
const ROLE = 'Cinema clerk'
/** The views that it makes */
const VIEWS = ['Blockbusters', 'No genre known']
const TABLE_NAMES = Object.keys(DEMO_TABLES).join(', ')

/** Folders with code of a project that could need the demo */
const SOURCES = ['app', 'bin', 'commands', 'config', 'database', 'start', 'tests']
const IMPORT =
  /#models\/(?:film|product|distributor|customer|order|order_line)['".]|#database\/(?:data\/|seed_demo|seeders\/demo_seeder|factories\/(?:film|product|distributor)_factory)/

/** Removes the demo from the project: models, migrations, data, factories, tests. */
export default class DemoRemove extends Command {
  static commandName = 'demo:remove'
  static description = 'Remove the demo: its models, migrations, data, factories and tests'
  static help = [
    'Removes Film, Distributor, Product, Customer, Order and OrderLine with all that belongs to',
    'them. It asks first.',
    'It stops where git could not bring a file of the demo back, or where a file of yours',
    'imports one; with --force it neither asks nor stops.',
    '',
    'The tables stay in every database, with their rows, until you say so:',
    '',
    '{{ binaryName }} demo:remove --drop-tables',
    '',
    'drops their tables and seed_runs in the database that .env names. This also works when',
    'the files are gone, once for each database.',
  ]

  @flags.boolean({ description: 'Remove without asking, whatever was changed' })
  declare force: boolean

  @flags.boolean({ description: "Drop the demo's tables, with all their rows" })
  declare dropTables: boolean

  async run() {
    /* A build has nothing to remove, but may have access to the production database. */
    const isSource = import.meta.filename.endsWith('.ts')
    const paths = PATHS.filter((path) => isSource && existsSync(this.app.makePath(path)))
    if (paths.length === 0 && !this.dropTables) {
      this.logger.info('The demo is not here any more')
      return
    }
    if (!this.force) {
      this.#checkGit(paths)
      this.#checkImports(paths)
    }
    await this.#confirm(paths)
    if (this.dropTables) await this.#dropTables()
    if (isSource) this.#remove(paths)
    this.#sayWhatIsNext(paths.length > 0)
  }

  /** Changes that are not in git would be lost. */
  #checkGit(paths: string[]) {
    if (paths.length === 0) return
    let changed: string
    try {
      changed = execFileSync('git', ['status', '--porcelain', '--', ...paths, ...this.#edited()], {
        cwd: this.app.makePath(),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } catch {
      throw new CommandFailure(
        'This is not a git repository, so the removal could not be reverted: create one and commit, or use --force'
      )
    }
    const files = changed.split('\n').filter(Boolean)
    if (files.length === 0) return
    throw new CommandFailure(
      `Changed since the last commit, so git could not bring it back: ${listed(files.map((line) => line.slice(3)))}. Commit it, or use --force`
    )
  }

  #checkImports(paths: string[]) {
    const isDemo = (file: string) =>
      paths.some((path) => file === path || file.startsWith(`${path}/`))
    const users = this.#sources().filter((file) => {
      if (isDemo(file) || file === 'commands/demo_remove.ts') return false
      let text = readFileSync(this.app.makePath(file), 'utf8')
      for (const [edited, passage] of PASSAGES) {
        if (edited === file) text = text.replaceAll(passage, '')
      }
      const isNeighbour =
        file.startsWith('app/models/') && /'\.\/(?:film|product|distributor)\.[jt]s'/.test(text)
      return isNeighbour || IMPORT.test(text)
    })
    if (users.length === 0 || paths.length === 0) return
    throw new CommandFailure(
      `The demo is needed by ${listed(users)}: change that first, or use --force and mend it afterwards`
    )
  }

  async #confirm(paths: string[]) {
    if (this.force) return
    const parts = [
      ...paths,
      ...(this.dropTables
        ? [`the tables ${TABLE_NAMES}, with all rows, in ${await this.#database()}`]
        : []),
    ]
    if (!this.canAsk) {
      throw new CommandFailure('This is not a terminal, so the command cannot prompt: use --force')
    }
    this.logger.log(`To be removed:\n${parts.map((part) => `- ${part}`).join('\n')}`)
    if (!(await ask(() => this.prompt.confirm('Remove the demo?')))) {
      throw new CommandFailure('Nothing was removed')
    }
  }

  async #database(): Promise<string> {
    const db = await this.app.container.make('lucid.db')
    const name = db.primaryConnectionName
    const { connection } = db.manager.get(name)!.config as { connection?: any }
    return `${name} (${connection?.filename ?? `${connection?.host}/${connection?.database}`})`
  }

  /**
   * Drops the tables of the demo's migrations; a table of the same name that another migration created
   * stays. Each migration is deleted from Lucid's table, as a migration without its file would stop
   * every rollback.
   */
  async #dropTables() {
    const db = await this.app.container.make('lucid.db')
    const client = db.connection()
    const hasRun = await client.schema.hasTable(MIGRATIONS)
    for (const [table, migration] of Object.entries(DEMO_TABLES)) {
      const own = hasRun && (await client.from(MIGRATIONS).where('name', migration).first())
      if (!own) continue
      try {
        await client.schema.dropTableIfExists(table)
      } catch (error) {
        throw new CommandFailure(
          `The table ${table} could not be dropped: ${(error as Error).message}. No file was removed`
        )
      }
      await client.from(MIGRATIONS).where('name', migration).delete()
      this.logger.action(`drop table ${table}`).succeeded()
    }
    if (hasRun) await client.from(MIGRATIONS).whereIn('name', DEMO_MIGRATIONS).delete()
    await this.#dropRole(client)
    await this.#dropViews(client)
  }

  /** Everybody keeps what they have: a role that names a model which is gone allows nothing of it. */
  async #dropRole(client: QueryClientContract) {
    if (!(await client.schema.hasTable('admin_roles'))) return
    const held = client.from('admin_user_roles').select('role_id')
    const gone = await client
      .from('admin_roles')
      .where('name', ROLE)
      .whereNotIn('id', held)
      .delete()
    if (Number(gone) > 0) this.logger.action(`delete role ${ROLE}`).succeeded()
  }

  /** The views that the seeder created, which have no owner. */
  async #dropViews(client: QueryClientContract) {
    if (!(await client.schema.hasTable('admin_saved_views'))) return
    const gone = await client
      .from('admin_saved_views')
      .where('model', 'Film')
      .whereIn('name', VIEWS)
      .whereNull('owner_id')
      .delete()
    if (Number(gone) > 0) this.logger.action(`delete views ${VIEWS.join(', ')}`).succeeded()
  }

  #remove(paths: string[]) {
    for (const path of paths) {
      rmSync(this.app.makePath(path), { recursive: true })
      this.logger.action(`remove ${path}`).succeeded()
    }
    for (const [file, passage] of PASSAGES) {
      const path = this.app.makePath(file)
      if (!existsSync(path)) continue
      const text = readFileSync(path, 'utf8')
      const without = text.replaceAll(passage, '')
      if (without === text) continue
      writeFileSync(path, without)
      this.logger.action(`update ${file}`).succeeded()
    }
  }

  #sayWhatIsNext(hadFiles: boolean) {
    const steps = [
      ...(hadFiles
        ? [
            'node ace make:crud NAME FIELD... makes a model of your own',
            'git diff shows what has changed; npm test still passes',
          ]
        : []),
      ...(this.dropTables
        ? []
        : [
            `Databases that were migrated before keep the tables ${TABLE_NAMES}, and can't roll back beyond them. To drop them, for each database: node ace demo:remove --drop-tables`,
          ]),
    ]
    if (steps.length > 0) this.logger.log(`\nNext:\n${steps.map((step) => `- ${step}`).join('\n')}`)
  }

  #edited(): string[] {
    return PASSAGES.map(([file]) => file).filter((file) => existsSync(this.app.makePath(file)))
  }

  /** Code of the project, by path */
  #sources(): string[] {
    return SOURCES.filter((folder) => existsSync(this.app.makePath(folder))).flatMap((folder) =>
      readdirSync(this.app.makePath(folder), { recursive: true })
        .map((path) => `${folder}/${String(path).replaceAll('\\', '/')}`)
        .filter((path) => /\.[jt]sx?$/.test(path) && !path.includes('/node_modules/'))
    )
  }
}

function listed(files: string[]): string {
  const more = files.length > 10 ? ` and ${files.length - 10} more` : ''
  return files.slice(0, 10).join(', ') + more
}
