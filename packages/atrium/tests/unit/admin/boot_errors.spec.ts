import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import {
  BulkAction,
  databaseEvents,
  defineConfig,
  ListColumn,
  ModelView,
  section,
  tab,
} from '#admin'
import { DatabaseConfig } from '#admin/config/database_config'
import { adminOptionsOf, AdminView } from '#admin/views/decorator'
import { Sample } from '#tests/fixtures/samples'
import { adminSite } from '#tests/helpers/admin'

class Unnamed extends ListColumn {
  name = ''
  label = 'Sum'
  value() {
    return ''
  }
}

class Taken extends Unnamed {
  name = 'count'
}

class Unlabelled extends Unnamed {
  name = 'sum'
  label = 5 as any
}

class Unsortable extends Unnamed {
  name = 'sum'
  sortBy = 'nme'
}

class Spaced extends BulkAction {
  name = 'two words'
  label = 'Do it'
  async run() {
    return ''
  }
}

const wrongSchema = vine.object({ nme: vine.string() })
/** Message of the error that the options cause at boot. */
async function messageOf(options: Record<string, unknown>): Promise<string> {
  const site = await adminSite()
  return thrown(
    () =>
      new ModelView({ ...options, model: Sample, databaseConfig: site.dbConfig, adminSite: site })
  )
}

function thrown(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test.group('Boot errors | @AdminView', () => {
  test(
    '[P9] the message about an invalid {option} names model, option, value {value} and the valid values'
  )
    .with([
      { option: 'allowedActions', wrong: 'view', value: "'view'", right: 'a list of strings' },
      { option: 'allowedActions', wrong: ['fly'], value: 'fly', right: 'view, create' },
      { option: 'createSchema', wrong: wrongSchema, value: 'nme', right: 'name' },
      { option: 'updateSchema', wrong: wrongSchema, value: 'nme', right: 'name' },
      { option: 'updateInternalSchema', wrong: wrongSchema, value: 'nme', right: 'name' },
      { option: 'updateInternalSchema', wrong: 5, value: '5', right: 'vine.object' },
      { option: 'deleteSchema', wrong: 5, value: '5', right: 'vine.object' },
      { option: 'selectSchema', wrong: wrongSchema, value: 'nme', right: 'name' },
      { option: 'endpointCreator', wrong: 5, value: '5', right: 'subclass of EndpointCreator' },
      { option: 'crud', wrong: 5, value: '5', right: 'LucidCrud' },
      { option: 'virtualFields', wrong: 5, value: '5', right: 'a list of strings' },
      { option: 'virtualFields', wrong: ['name'], value: 'name', right: 'needs no virtual field' },
      { option: 'label', wrong: 5, value: '5', right: 'a string that is not empty' },
      { option: 'singular', wrong: ' ', value: "' '", right: 'a string that is not empty' },
      { option: 'icon', wrong: 'box', value: "'box'", right: 'SVG path data' },
      { option: 'group', wrong: {}, value: '{}', right: 'a string that is not empty' },
      { option: 'title', wrong: 5, value: '5', right: "a column's name or a function" },
      { option: 'title', wrong: 'nme', value: 'nme', right: 'name' },
      { option: 'form', wrong: 'name', value: "'name'", right: 'a list of names of fields' },
      { option: 'form', wrong: ['nme'], value: 'nme', right: 'name' },
      { option: 'form', wrong: [section('A', ['nme'])], value: 'nme', right: 'name' },
      { option: 'form', wrong: [section('A', ['name']), 'name'], value: "'name'", right: 'once' },
      { option: 'form', wrong: [5], value: '5', right: 'sections and tabs' },
      { option: 'form.A', wrong: [section('A', [tab('B', [])])], value: "'B'", right: 'sections' },
      { option: 'form.A', wrong: [tab('A', 5 as any)], value: '5', right: 'a list of names' },
      {
        option: 'form.A.columns',
        wrong: [section('A', ['name'], { columns: 5 as any })],
        value: '5',
        right: '1 or 2 or 3',
      },
      {
        option: 'form.A.folded',
        wrong: [section('A', ['name'], { folded: true } as any)],
        value: 'no option',
        right: 'collapsed',
      },
      {
        option: 'fields.name.visibleWhen',
        wrong: { name: { visibleWhen: { kind: {} } } },
        value: 'kind',
        right: 'a map from fields to a value',
      },
      {
        option: 'fields.name.visibleWhen',
        wrong: { name: { visibleWhen: { knd: 'book' } } },
        value: 'knd',
        right: 'long_text',
      },
      {
        option: 'fields.name.visibleWhen',
        wrong: { name: { visibleWhen: { count: 1 } }, count: { visibleWhen: { name: 'a' } } },
        value: "'name' itself",
        right: 'must not',
      },
      {
        option: 'fields.name.prefix',
        wrong: { name: { prefix: 5 } },
        value: '5',
        right: 'a string',
      },
      { option: 'listColumns', wrong: 'name', value: "'name'", right: 'a list of' },
      { option: 'listColumns', wrong: ['nme'], value: 'nme', right: 'name' },
      { option: 'listColumns', wrong: ['secret'], value: 'secret', right: 'long_text' },
      { option: 'listColumns', wrong: [5], value: '5', right: 'subclass of ListColumn' },
      {
        option: 'listColumns',
        wrong: [Unnamed],
        value: "Unnamed has the name ''",
        right: 'not empty',
      },
      { option: 'listColumns', wrong: [Unlabelled], value: 'the label 5', right: 'not empty' },
      {
        option: 'listColumns',
        wrong: ['count', Taken],
        value: "'count'",
        right: 'names there are',
      },
      { option: 'listColumns', wrong: [Unsortable], value: "'nme'", right: 'long_text' },
      { option: 'searchableColumns', wrong: 'name', value: "'name'", right: 'a list of strings' },
      { option: 'searchableColumns', wrong: ['nme'], value: 'nme', right: 'name' },
      { option: 'facets', wrong: 'name', value: "'name'", right: 'a list of strings' },
      { option: 'facets', wrong: ['nme'], value: 'nme', right: 'name' },
      { option: 'facets', wrong: ['secret'], value: 'secret', right: 'long_text' },
      { option: 'defaultSort', wrong: 5, value: '5', right: 'a string' },
      { option: 'defaultSort', wrong: '-nme', value: 'nme', right: 'name' },
      { option: 'fields', wrong: { nme: {} }, value: 'nme', right: 'name' },
      { option: 'fields', wrong: { name: 'Name' }, value: "'Name'", right: "label: 'Name'" },
      { option: 'fields.name', wrong: { name: { lable: 'N' } }, value: 'lable', right: 'label' },
      { option: 'fields.name.label', wrong: { name: { label: 5 } }, value: '5', right: 'a string' },
      { option: 'fields.name.help', wrong: { name: { help: 5 } }, value: '5', right: 'a string' },
      {
        option: 'fields.name.widget',
        wrong: { name: { widget: 'txt' } },
        value: 'txt',
        right: 'textarea',
      },
      {
        option: 'fields.name.widget',
        wrong: { name: { widget: Taken } },
        value: 'Taken',
        right: 'subclass of Widget',
      },
      { option: 'bulkActions', wrong: Spaced, value: 'Spaced', right: 'a list of classes' },
      { option: 'bulkActions', wrong: [5], value: '5', right: 'subclass of BulkAction' },
      { option: 'bulk action', wrong: [Spaced], value: 'two words', right: 'letters, digits' },
      { option: 'templates', wrong: 'x', value: "'x'", right: 'an object' },
      {
        option: 'templates.lst',
        wrong: { lst: 'x' },
        value: 'lst',
        right: 'list, create and update',
      },
      { option: 'templates.list', wrong: { list: 5 }, value: '5', right: 'a string' },
      {
        option: 'templates.list',
        wrong: { list: 'no/such' },
        value: 'no/such',
        right: 'resources/views',
      },
      { option: 'scopes', wrong: [() => {}], value: '[', right: 'a map from names' },
      { option: 'scopes', wrong: { own: 5 }, value: 'own', right: 'to functions' },
      {
        option: 'scopes',
        wrong: { 'my own': () => {} },
        value: 'my own',
        right: 'letters, digits',
      },
      { option: 'panel', wrong: { template: 'x' }, value: 'template', right: 'a function data' },
      { option: 'listColumn', wrong: ['name'], value: 'listColumn', right: 'listColumns' },
    ])
    .run(async ({ assert }, { option, wrong, value, right }) => {
      const [name, ...parts] = option.split('.')
      const isPart = parts.length > 0 || name === 'bulk action'
      const given = isPart && name === 'bulk action' ? 'bulkActions' : name
      const message = await messageOf({ [given]: wrong })
      assert.match(message, /^Sample: /)
      assert.include(message, option)
      assert.include(message, value)
      assert.include(message, right)
      assert.lengthOf(message.split('\n'), 1)
    })

  test('[P9, P13] valid values of each option of @AdminView are accepted', async ({ assert }) => {
    const message = await messageOf({
      label: 'Goods',
      singular: 'Good',
      icon: 'M4 6h16M4 12h16',
      group: 'Shop',
      title: 'name',
      scopes: { 'own_branch-2': () => {} },
      listColumns: new Set(['id', 'name']),
      fields: { name: { label: 'Name', help: '', widget: 'textarea' } },
      templates: { list: 'admin/pages/list', create: undefined },
    })
    assert.equal(message, '')
  })

  test('[P2, P9] options can be a function that returns an object, and other values are refused', ({
    assert,
  }) => {
    class Lazy extends Sample {}
    AdminView(() => ({ label: 'Late' }))(Lazy)
    assert.deepEqual(adminOptionsOf(Lazy), { label: 'Late' })

    class Wrong extends Sample {}
    AdminView('Goods' as any)(Wrong)
    assert.equal(
      thrown(() => adminOptionsOf(Wrong)),
      "Wrong: @AdminView was given 'Goods', and takes an object of options, or a function that returns one"
    )
    class None extends Sample {}
    AdminView((() => 5) as any)(None)
    assert.include(
      thrown(() => adminOptionsOf(None)),
      'None: the function given to @AdminView returned 5, and must return the options'
    )
  })
})

const appKey = new Secret('key')

test.group('Boot errors | config/admin.ts', () => {
  test(
    '[P9] the message about an invalid {option} names file, option, value {value} and the valid values'
  )
    .with([
      { option: 'mountPth', wrong: '/x', value: 'mountPth', right: 'mountPath' },
      { option: 'mountPath', wrong: 5, value: '5', right: 'names of letters' },
      { option: 'mountPath', wrong: '/a b', value: "'/a b'", right: 'names of letters' },
      { option: 'title', wrong: '', value: "''", right: 'a string that is not empty' },
      { option: 'theme', wrong: 'pink', value: "'pink'", right: "'dark-theme' or 'light-theme'" },
      { option: 'secureCookies', wrong: 'no', value: "'no'", right: 'true or false' },
      { option: 'templatesDirectory', wrong: 'x', value: "'x'", right: 'an absolute path' },
      { option: 'storageDirectory', wrong: 5, value: '5', right: 'an absolute path' },
      { option: 'adminConnection', wrong: 5, value: '5', right: 'a string' },
      { option: 'models', wrong: [Sample], value: 'Sample', right: 'an object' },
      { option: 'models.Sample', wrong: { Sample: 5 }, value: '5', right: '[Product, {' },
      {
        option: 'models.Sample',
        wrong: { Sample: [Sample, 'x'] },
        value: "'x'",
        right: '[Product',
      },
      { option: 'eventIntegration', wrong: {}, value: '{}', right: 'a function log' },
      { option: 'sessions', wrong: 5, value: '5', right: 'an object' },
      { option: 'sessions.idle', wrong: { idle: 5 }, value: 'idle', right: 'idleMinutes' },
      {
        option: 'sessions.perUser',
        wrong: { perUser: 0 },
        value: '0',
        right: 'a positive integer',
      },
      {
        option: 'token.minutes',
        wrong: { minutes: '5' },
        value: "'5'",
        right: 'a positive integer',
      },
      {
        option: 'login.attempts',
        wrong: { attempts: 1.5 },
        value: '1.5',
        right: 'positive integer',
      },
      {
        option: 'login.slowestSeconds',
        wrong: { slowestSeconds: 1e9 },
        value: '1000000000',
        right: 'at the most',
      },
      { option: 'login.tries', wrong: { tries: 5 }, value: 'tries', right: 'attemptsPerAddress' },
    ])
    .run(({ assert }, { option, wrong, value, right }) => {
      const message = thrown(() => defineConfig({ appKey, [option.split('.')[0]]: wrong }))
      assert.match(message, /^config\/admin\.ts: /)
      assert.include(message, option)
      assert.include(message, value)
      assert.include(message, right)
    })

  test('[P9] an application key that is not a Secret is reported without its value', ({
    assert,
  }) => {
    const message = thrown(() => defineConfig({ appKey: 'hush-hush' as any }))
    assert.equal(message, "config/admin.ts: appKey is not a Secret, and must be env.get('APP_KEY')")
  })

  test('[P9] an invalid option {option} of databaseEvents is reported')
    .with([
      { option: 'retentionDays', wrong: 0, right: 'a positive integer' },
      { option: 'retentionDays', wrong: 1e9, right: 'at the most' },
      { option: 'typedNameDays', wrong: '30', right: 'a positive integer' },
      { option: 'logViews', wrong: 'no', right: "true or false, or 'records'" },
      { option: 'logView', wrong: true, right: 'logViews' },
    ])
    .run(({ assert }, { option, wrong, right }) => {
      const message = thrown(() => databaseEvents({ [option]: wrong }))
      assert.match(message, /^config\/admin\.ts: databaseEvents: /)
      assert.include(message, option)
      assert.include(message, right)
    })

  test('[P9] an unknown connection is reported with its option', ({ assert }) => {
    const message = thrown(() => new DatabaseConfig({ admin: 'moon' }))
    assert.match(
      message,
      /^config\/admin\.ts: adminConnection is 'moon', and must be one of .*sqlite/
    )
  })
})
