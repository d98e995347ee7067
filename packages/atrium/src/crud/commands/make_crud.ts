import { existsSync, readFileSync } from 'node:fs'
import { args, flags } from '@adonisjs/core/ace'
import { ask, Command, errorMessage } from './command.js'
import { CommandFailure } from '#base/errors'

const EXAMPLE = 'node ace make:crud Invoice number:string:unique total:decimal paid_at:datetime?'

/**
 * Creates a model with REST endpoints and admin pages, with its migration, factory and functional test; or models for
 * existing tables.
 */
export default class MakeCrud extends Command {
  static commandName = 'make:crud'
  static description = 'Make a model with its endpoints, admin view, migration, factory and test'
  static help = [
    'A field is name:type, and after further colons what else is true of it:',
    '{{ binaryName }} make:crud Invoice number:string:unique total:decimal paid_at:datetime?',
    '{{ binaryName }} make:crud Line invoice_id:belongsTo "text:string(80)" "unit:enum(hour,piece):default(hour)"',
    '',
    'Types: string(255), text, integer, bigint, decimal(12,2), float, boolean, date, datetime, time, uuid, json, file,',
    'enum(a,b), belongsTo(Model). After the type: ? or nullable, unique, index, default(VALUE).',
    'Relations to records that refer to it: items:hasMany(InvoiceItem), cover:hasOne(Cover), tags:manyToMany(Tag).',
    'Models of tables that exist: --from-table=orders --from-table=customers, or --all. They are written to app/models alone.',
    'Parentheses, and in some shells the ?, need quotes. Without arguments it asks.',
  ]

  @args.string({ description: 'Name of the model, as in Invoice', required: false })
  declare model: string | undefined

  @args.spread({ description: 'Its fields, as in number:string:unique', required: false })
  declare fields: string[] | undefined

  @flags.boolean({ description: 'Deleting only marks a record, by a column deleted_at' })
  declare softDeletes: boolean

  @flags.boolean({
    description: 'Whether there are created_at and updated_at',
    default: true,
    showNegatedVariantInHelp: true,
  })
  declare timestamps: boolean

  @flags.array({ description: 'Write the model of a table that exists' })
  declare fromTable: string[] | undefined

  @flags.boolean({ description: 'Write the models of all tables that have none' })
  declare all: boolean

  @flags.boolean({ description: 'List where models and their tables differ, and write nothing' })
  declare check: boolean

  async run() {
    if (this.check) return await this.#check()
    if (existsSync(this.app.makePath('adonisrc.js'))) {
      throw new CommandFailure(
        'This is a build of the application, and make:crud writes TypeScript. Run it where adonisrc.ts is, then build again'
      )
    }
    if (this.all || this.fromTable) return await this.#makeFromTables()
    await this.#make()
  }

  async #makeFromTables() {
    const { TableScaffold } = await import('../scaffold/table_scaffold.js')
    if (this.model !== undefined || (this.all && this.fromTable)) {
      throw new CommandFailure(
        'Give --all, or --from-table once or several times, or a name with fields: only one of them'
      )
    }
    const scaffold = new TableScaffold(this.app)
    const files = await scaffold.write(this.fromTable)
    for (const file of files) this.logger.action(`create ${file}`).succeeded()
    for (const note of scaffold.notes) this.logger.warning(note)
    this.logger.log(
      `\nNext: ${this.#isClone ? 'npm start' : 'start the server again'}. Compare models with tables: node ace make:crud --check`
    )
  }

  async #check() {
    const { differencesOf } = await import('../scaffold/model_differences.js')
    const differences = await differencesOf(this.app, this.fromTable)
    for (const difference of differences) this.print(difference)
    if (differences.length > 0) this.exitCode = 1
    else this.print('Models and tables agree')
  }

  async #make() {
    const { modelNames } = await import('../scaffold/model_names.js')
    const { parseFields } = await import('../scaffold/field.js')
    const { Scaffold } = await import('../scaffold/scaffold.js')
    const { crudConfig } = await import('../settings.js')

    if (!this.canAsk && (this.model === undefined || !this.fields?.length)) {
      throw new CommandFailure(
        `This is not a terminal, so the command cannot prompt: give a name and fields, as in: ${EXAMPLE}`
      )
    }
    const model = this.model ?? (await this.#askModel((text) => modelNames(this.app, text)))
    const names = modelNames(this.app, model)
    const fields = this.fields?.length ? this.fields : await this.#askFields(parseFields)
    const { timestamps, softDeletes } = this
    const scaffold = new Scaffold(this.app)
    const files = await scaffold.write(names, parseFields(fields), { timestamps, softDeletes })

    for (const file of files) this.logger.action(`create ${file}`).succeeded()
    for (const need of scaffold.needs) this.logger.warning(need)
    for (const need of this.#needsOfTests()) this.logger.warning(need)
    const next = this.#isClone
      ? 'npm start, which migrates (or node ace migrate)'
      : 'node ace migration:run, then start the server again'
    this.logger.log(
      `\nNext: ${next}\nThen its API is at ${crudConfig().prefix}${names.path}, and the admin site has it as ${names.label}.\nIts test: node ace test --files=${files.find((file) => file.endsWith('.spec.ts'))}`
    )
  }

  /**
   * True in a clone of the repository, whose `npm start` runs migrations; false in an application that uses the package
   */
  get #isClone(): boolean {
    return existsSync(this.app.makePath('scripts/start.js'))
  }

  #needsOfTests(): string[] {
    const file = this.app.makePath('tests/bootstrap.ts')
    if (existsSync(file) && readFileSync(file, 'utf8').includes('adminApiClient')) return []
    return [
      "The test needs adminApiClient() of 'adonis-atrium/testing' in plugins of tests/bootstrap.ts, after apiClient()",
    ]
  }

  async #askModel(check: (text: string) => unknown): Promise<string> {
    return await ask(() =>
      this.prompt.ask('Name of the model', {
        hint: 'as in Invoice',
        validate: (text) => errorMessage(() => check(text ?? '')),
      })
    )
  }

  /** Prompts for fields one after another until the input is empty. */
  async #askFields(check: (texts: string[]) => unknown): Promise<string[]> {
    const fields: string[] = []
    for (;;) {
      const isFirst = fields.length === 0
      const response: string | undefined = await ask(() =>
        this.prompt.ask(isFirst ? 'First field' : 'Next field', {
          hint: isFirst ? 'as in number:string:unique' : 'nothing: that is all',
          validate: (text) =>
            text || isFirst ? errorMessage(() => check([...fields, text])) : true,
        })
      )
      if (!response) return fields
      fields.push(response)
    }
  }
}
