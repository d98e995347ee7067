import { args, flags } from '@adonisjs/core/ace'
import string from '@adonisjs/core/helpers/string'
import { Command, CommandFailure } from '#crud/commands/command'
import { namesOf } from './make_admin_page.js'

/**
 * Base class and members of each kind of card in the generated file, with `MODEL` for the name of the model
 */
const KINDS: Readonly<Record<string, { base: string; members: readonly string[] }>> = {
  number: {
    base: 'NumberCard',
    members: ["model = 'MODEL'", "query = ''", "select = 'count' as const"],
  },
  chart: {
    base: 'ChartCard',
    members: [
      "model = 'MODEL'",
      "query = ''",
      "select = 'count' as const",
      "kind = 'bars' as const",
      "groupBy = 'created_at'",
    ],
  },
  list: { base: 'ListCard', members: ["model = 'MODEL'", "query = ''", 'rows = 5'] },
  text: { base: 'TextCard', members: ["text = '**Welcome.** This text is Markdown.'"] },
}

/** Makes a card of the dashboard. */
export default class MakeAdminCard extends Command {
  static commandName = 'make:admin-card'
  static description = 'Make a card of the dashboard'
  static help = [
    '{{ binaryName }} make:admin-card UnpaidOrders --kind=number --model=Order',
    'Kinds: number, chart, list, text.',
  ]
  static options = { startApp: false }

  @args.string({ description: 'Name of the card, as in UnpaidOrders' })
  declare name: string

  @flags.string({ description: 'number, chart, list or text', default: 'number' })
  declare kind: string

  @flags.string({ description: 'Class name of the model that the card reads' })
  declare model: string | undefined

  async run() {
    if (!Object.hasOwn(KINDS, this.kind)) {
      throw new CommandFailure(
        `There is no kind '${this.kind}' of cards; kinds are ${Object.keys(KINDS).join(', ')}`
      )
    }
    const { model } = this
    if (model === undefined && this.kind !== 'text') {
      throw new CommandFailure('A card reads a model: add its class name, as in --model=Order')
    }
    if (model !== undefined && !/^[A-Za-z]\w*$/.test(model)) {
      throw new CommandFailure(`'${model}' can't be the class name of a model`)
    }
    const { className, fileName, label } = namesOf(this.name)
    const { base, members } = KINDS[this.kind]
    const { writeStubs } = await import('./write_stubs.js')
    await writeStubs(this, ['make/admin_card/card.stub'], {
      className: className === base ? `${className}1` : className,
      base,
      label,
      members: members.map((line) => line.replace('MODEL', model ?? '')).join('\n  '),
      cardFile: this.app.makePath(`app/admin_cards/${fileName}.ts`),
    })
    const permission = string.snakeCase(className.replace(/(?<=.)Card$/, ''))
    this.print(
      `Roles allow the card by "cards": ["${permission}"]; superusers see it after the next start.`
    )
  }
}
