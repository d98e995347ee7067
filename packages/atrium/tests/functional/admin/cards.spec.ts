import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import {
  AdminSavedView,
  type AdminUser,
  ChartCard,
  NumberCard,
  TextCard,
  type AdminSite,
} from '#admin'
import { timeLimits } from '#admin/dashboard/cards/card_body'
import { addCard } from '#admin/dashboard/cards/find_cards'
import type { PermissionsInput } from '#admin/models/permissions_document'
import { addCards, StatesChart, CrossingsCard } from '#tests/fixtures/cards'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { chunks } from '#base/chunks'
import { captureLog } from '#tests/helpers/captured_log'
import { get } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { giveRoles, makeRole, restoreRoles, roleIdOf } from '#tests/helpers/roles'

const CARDS = '/admin/dashboard/cards'
const ARRANGE = '/admin/dashboard/arrange'
const day = (ago: number) => DateTime.utc().minus({ days: ago }).toFormat('yyyy-MM-dd')

test.group('Admin | cards of the dashboard', (group) => {
  group.tap((one) => one.tags(['@database']))
  let site: AdminSite
  let root: AdminUser
  let cookie: string

  group.setup(() => fakeHashes())
  group.setup(() => addCards())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    await db.from('crossings').delete()
    site = await adminSite()
    root = await makeUser('root')
    cookie = await cookiesOf(root)
    return async () => {
      await db.from('crossings').delete()
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  const open = (path: string, as = cookie) => get(path, { headers: { cookie: as } })

  async function statusOf(path: string, as?: string): Promise<number> {
    const { status } = await open(path, as)
    return status
  }
  async function textOf(path: string, as?: string): Promise<string> {
    const { text } = await open(path, as)
    return text
  }
  async function formStatus(...given: Parameters<typeof sendForm>): Promise<number> {
    const { status } = await sendForm(...given)
    return status
  }

  async function store(...crossings: Array<Record<string, unknown>>) {
    const usual = { port: 'Bergen', state: 'done', sailed_on: day(1), fare: '10.00', secret: 'no' }
    for (const crossing of crossings) await db.table('crossings').insert({ ...usual, ...crossing })
  }

  async function withRole(permissions: PermissionsInput, name = 'Sailor'): Promise<string> {
    await makeRole(name, permissions)
    const user = await makeUser('sam', { isSuperuser: false })
    await giveRoles(user, [name])
    return await cookiesOf(user)
  }

  const numberIn = (text: string) =>
    /<p class="dash-number" data-length="\w+">([^<]*)</.exec(text)?.[1]
  const rowsIn = (text: string) =>
    [...text.matchAll(/<th scope="row">\s*(?:<a[^>]*>)?([^<]*)[^]*?<\/tr>/g)].map(
      ([row, label]) => [
        label.trim(),
        ...[...row.matchAll(/<td class="number">([^<]*)</g)].map(([, value]) => value),
      ]
    )

  test('[G2] a number card shows the number of records in its list, and links to the list', async ({
    assert,
  }) => {
    await store({}, {}, {})
    const { status, text } = await open(`${CARDS}/crossings`)
    assert.equal(status, 200)
    assert.equal(numberIn(text), '3')
    assert.include(text, '<a href="/admin/Crossing/">Crossings &lt;b&gt;</a>')
    assert.notInclude(text, '<html')
  })

  test('[G2] a number card with a period shows the change from the previous period, and its sums are exact', async ({
    assert,
  }) => {
    await store(
      { sailed_on: day(0), fare: '1000000000.25' },
      { sailed_on: day(6), fare: '0.50' },
      { sailed_on: day(7), fare: '100.00' },
      { sailed_on: day(13), fare: '50.00' },
      { sailed_on: day(14), fare: '7.00' }
    )
    const { text } = await open(`${CARDS}/fares_this_month`)
    assert.equal(numberIn(text), '1,000,000,000.75')
    assert.match(
      text,
      /compared with 150(\.0+)? in \d+(\u00A0[A-Z][a-z]{2})?(\u00A0\d{4})?\u00A0–\u00A0\d+\u00A0[A-Z][a-z]{2}\u00A0\d{4}/
    )
    assert.include(text, 'data-direction="up"')
    assert.include(text, '/admin/Crossing/?filter.sailed_on__between=last_7_days')
  })

  test('[G2] a chart card of a column has linked bars and a table with the same numbers', async ({
    assert,
  }) => {
    await store({ state: 'done', fare: '2.50' }, { state: 'late', fare: '4.00' }, { state: null })
    const { text } = await open(`${CARDS}/states_chart`)
    assert.match(
      text,
      /<svg class="card-chart card-chart-rows" role="img" aria-label="Chart: States/
    )
    assert.deepEqual(
      rowsIn(text).map(([label, value]) => [label, Number(value)]),
      [
        ['(empty)', 10],
        ['late', 4],
        ['done', 2.5],
      ]
    )
    assert.include(text, 'href="/admin/Crossing/?filter.state=late"')
  })

  test('[G2] a chart card over time has a value for each day, stacked by a second column', async ({
    assert,
  }) => {
    await store({}, { state: 'late' }, { sailed_on: day(6) }, { sailed_on: day(7) })
    const { text } = await open(`${CARDS}/sailed_chart`)
    const rows = rowsIn(text)
    assert.lengthOf(rows, 7)
    assert.lengthOf(rows[0], 3)
    const sums = rows.map(([, ...values]) => values.reduce((sum, value) => sum + Number(value), 0))
    assert.deepEqual(sums, [1, 0, 0, 0, 0, 2, 0])
    assert.lengthOf([...text.matchAll(/<li><span class="chart-key/g)], 2)
  })

  test('[G2.7] stacked charts of a year are counted by month, whatever the number of days and values', async ({
    assert,
    cleanup,
  }) => {
    class Year extends ChartCard {
      label = 'Year'
      model = 'Crossing'
      kind = 'stacked' as const
      groupBy = ['sailed_on', 'port'] as const
      query = 'filter.sailed_on__between=2025-01-15,2025-12-20'
    }
    class Weeks extends Year {
      query = 'filter.sailed_on__between=2025-01-01,2025-06-20'
    }
    addCard(site, Year)
    addCard(site, Weeks)
    cleanup(() => ['year', 'weeks'].forEach((name) => void site.cards.delete(name)))
    const days = Array.from({ length: 340 }, (_, at) =>
      DateTime.fromISO('2025-01-15').plus({ days: at }).toISODate()!
    )
    const ports = ['Bergen', 'Oslo', 'Ystad', 'Turku', 'Kiel', 'Riga', 'Ghent', 'Hull']
    const crossings = days.flatMap((one) =>
      ports.map((port) => ({ port, sailed_on: one, state: 'done', fare: '1.00', secret: 'no' }))
    )
    for (const some of chunks(crossings, 100)) await db.table('crossings').multiInsert([...some])
    await store({ sailed_on: '2025-01-14' }, { sailed_on: '2025-12-21' })
    const rows = rowsIn(await textOf(`${CARDS}/year`))
    const daysOfMonths = [17, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 20]
    assert.deepEqual(
      rows.map(([, ...values]) => values.map(Number)),
      daysOfMonths.map((count) => [...Array.from({ length: 5 }, () => count), 3 * count])
    )
    assert.equal(rows[0][0], 'Jan 2025')
    const total = (all: string[][]) =>
      all.flatMap(([, ...values]) => values).reduce((sum, value) => sum + Number(value), 0)
    assert.equal(total(rows), 340 * 8)
    assert.equal(total(rowsIn(await textOf(`${CARDS}/weeks`))), 157 * 8 + 1)
  })

  test('[G2, G4] chart cards have the colours of an enum, in the order of its options', async ({
    assert,
  }) => {
    await store({ state: 'done' }, { state: 'late' }, { state: 'other' })
    const colors = (text: string, style: RegExp) =>
      [...text.matchAll(style)].map(([, color]) => color)
    const bars = await open(`${CARDS}/states_chart`)
    assert.sameMembers(colors(bars.text, /<rect class="bar-0"(?: data-color="(\w+)")?/g), [
      'red',
      'gray',
      undefined as any,
    ])
    const stacked = await open(`${CARDS}/sailed_chart`)
    assert.deepEqual(
      colors(stacked.text, /<span class="chart-key[^>]*?(?:data-color="(\w+)")?>/g),
      ['red', 'gray', undefined as any]
    )
    assert.include(stacked.text, '<rect class="bar-0" data-color="red"')
  })

  test('[G2] a chart card of a datetime column counts the records of each day', async ({
    assert,
  }) => {
    const at = DateTime.utc().minus({ days: 2 }).toFormat('yyyy-MM-dd 12:30:15')
    await store({ logged_at: at }, { logged_at: at }, { logged_at: null })
    const { text } = await open(`${CARDS}/logged_lines`)
    const rows = rowsIn(text)
    assert.lengthOf(rows, 30)
    assert.equal(rows.at(-3)![1], '2')
    assert.include(text, '<polyline')
  })

  test('[G2] a list card shows the first rows, with the query of the card or of a saved view', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureLog(cleanup)
    await store({ port: 'Oslo' }, { port: 'Bergen' }, { port: 'Tromsø' })
    const latest = await open(`${CARDS}/latest_crossings`)
    assert.include(latest.text, 'Tromsø')
    assert.notInclude(latest.text, 'Oslo')
    const missing = await open(`${CARDS}/saved_crossings`)
    assert.equal(missing.status, 200)
    assert.include(missing.text, 'could not be loaded')
    assert.isNotEmpty(lines())
    await AdminSavedView.create({
      model: 'Crossing',
      name: 'To Bergen',
      query: 'filter.port=Bergen',
      ownerId: root.id,
      shared: false,
    })
    const saved = await open(`${CARDS}/saved_crossings`)
    assert.include(saved.text, 'Bergen')
    assert.notInclude(saved.text, 'Oslo')
  })

  test('[G2] a text card shows Markdown without scripts', async ({ assert }) => {
    const { text } = await open(`${CARDS}/sailors_note`)
    assert.include(text, '<strong>Mind</strong>')
    assert.notInclude(text, '<script')
  })

  test("[G2, U4] cards not listed in the user's roles, and cards of models that no role can view, respond like missing cards", async ({
    assert,
  }) => {
    const own = await withRole({ Crossing: { actions: ['view'] }, cards: ['crossings'] })
    assert.equal(await statusOf(`${CARDS}/crossings`, own), 200)
    for (const name of ['states_chart', 'sailors_note', 'nothing', '__proto__']) {
      assert.equal(await statusOf(`${CARDS}/${name}`, own), 404, name)
    }
    const page = await open('/admin', own)
    assert.include(page.text, 'id="card-crossings"')
    assert.notInclude(page.text, 'card-states_chart')

    await db.from('admin_users').where('username', 'sam').delete()
    const blind = await withRole({ Utensil: { actions: ['view'] }, cards: ['*'] }, 'Blind')
    assert.equal(await statusOf(`${CARDS}/crossings`, blind), 404)
    assert.equal(await statusOf(`${CARDS}/sailors_note`, blind), 200)

    await db.from('admin_users').where('username', 'sam').delete()
    const all = await withRole({ '*': { actions: ['*'] } }, 'All models')
    assert.equal(await statusOf(`${CARDS}/crossings`, all), 404)
  })

  test("[G2, U3] numbers cover only the records in the user's scopes, and no card uses hidden columns", async ({
    assert,
    cleanup,
  }) => {
    captureLog(cleanup)
    await store({ secret: 'QZX' }, { port: 'Oslo', secret: 'QZX' }, {})
    const entry = { actions: ['view'], scopes: ['bergen'], hidden: ['secret', 'fare'] }
    const own = await withRole({ Crossing: entry, cards: ['*'] })
    const counted = await open(`${CARDS}/crossings`, own)
    assert.equal(numberIn(counted.text), '2')
    for (const name of ['secret_crossings', 'states_chart', 'fares_this_month']) {
      const { status, text } = await open(`${CARDS}/${name}`, own)
      assert.equal(status, 200)
      assert.include(text, 'could not be loaded', name)
      assert.notMatch(text, /QZX|10\.00|<svg/)
    }
    const whole = await open(`${CARDS}/secret_crossings`)
    assert.equal(numberIn(whole.text), '2')
  })

  test('[G2] the result of a card is cached for its user, and not shown to users with other permissions', async ({
    assert,
  }) => {
    await store({ state: 'done' })
    const before = await open(`${CARDS}/states_chart`)
    await store({ state: 'late' })
    const cached = await open(`${CARDS}/states_chart`)
    assert.equal(cached.text, before.text)
    const own = await withRole({ Crossing: { actions: ['view'] }, cards: ['states_chart'] })
    const others = await open(`${CARDS}/states_chart`, own)
    assert.include(others.text, 'late')
    await giveRoles(root, ['Sailor'])
    const changed = await open(`${CARDS}/states_chart`)
    assert.include(changed.text, 'late')
  })

  test('[G2] the page loads each card in a separate request; without JavaScript one page contains all cards', async ({
    assert,
  }) => {
    await store({})
    const { text } = await open('/admin')
    assert.match(
      text,
      /id="card-crossings"[^>]*hx-get="\/admin\/dashboard\/cards\/crossings"[^>]*hx-trigger="load"/
    )
    assert.match(text, /<noscript><meta http-equiv="refresh" content="3; url=\/admin\?whole=1">/)
    const whole = await open('/admin?whole=1')
    assert.match(
      whole.text,
      /id="card-crossings"[^]*?<p class="dash-number" data-length="short">1</
    )
    assert.notInclude(whole.text, 'hx-trigger="load"')
    assert.notInclude(whole.text, 'http-equiv="refresh"')
    const part = await open('/admin/dashboard-content')
    assert.include(part.text, '<p class="dash-number" data-length="short">1')
  })

  test('[G2] an error in a card does not affect other cards', async ({ assert, cleanup }) => {
    captureLog(cleanup)
    const view = site.models.get('Crossing')!
    const { aggregate } = view.crud
    cleanup(() => void (view.crud.aggregate = aggregate))
    view.crud.aggregate = async () => {
      throw new Error('no such table: secret_table')
    }
    const { status, text } = await open('/admin?whole=1')
    assert.equal(status, 200)
    assert.include(text, 'This card could not be loaded')
    assert.include(text, '<strong>Mind</strong>')
    assert.notInclude(text, 'secret_table')
  })

  test('[G2.3] a card that never responds fails after its timeout without affecting other cards', async ({
    assert,
    cleanup,
  }) => {
    captureLog(cleanup)
    const view = site.models.get('Crossing')!
    const { aggregate } = view.crud
    const before = timeLimits.card
    cleanup(() => void (view.crud.aggregate = aggregate))
    cleanup(() => void (timeLimits.card = before))
    timeLimits.card = 200
    view.crud.aggregate = () => new Promise(() => {})
    const { status, text } = await open('/admin?whole=1')
    assert.equal(status, 200)
    assert.include(text, 'This card could not be loaded')
  })

  test('[G2.3] a cached result is not shown after the user has lost permissions', async ({
    assert,
  }) => {
    await makeRole('Sailor', {
      Crossing: { actions: ['view'], scopes: ['bergen'] },
      cards: ['states_chart'],
    })
    await giveRoles(root, ['Sailor'])
    await store({ port: 'Oslo', state: 'late' })
    assert.include(await textOf(`${CARDS}/states_chart`), 'late')
    await db.from('admin_users').where('id', root.id).update({ is_superuser: false })
    assert.notInclude(await textOf(`${CARDS}/states_chart`), 'late')
    await store({ state: 'sunk' })
    assert.notInclude(await textOf(`${CARDS}/states_chart`), 'sunk')
    const attributes = JSON.stringify({ branch_id: 7 })
    await db.from('admin_users').where('id', root.id).update({ attributes })
    assert.include(await textOf(`${CARDS}/states_chart`), 'sunk')
  })

  test('[G2] a chart card over thousands of years shows an error instead of running a query for each year', async ({
    assert,
    cleanup,
  }) => {
    captureLog(cleanup)
    class Ages extends ChartCard {
      label = 'Ages'
      model = 'Crossing'
      groupBy = 'logged_at'
      query = 'filter.logged_at__between=0001-01-01,9999-12-31'
    }
    addCard(site, Ages)
    cleanup(() => void site.cards.delete('ages'))
    const queries = await queriesOf(async () => {
      assert.include(await textOf(`${CARDS}/ages`), 'This card could not be loaded')
    })
    assert.isBelow(queries.length, 50)
  })

  /** Names of the cards on the dashboard, with their widths */
  function cardsIn(text: string): string[] {
    const cards = text.matchAll(
      /class="[^"]*\bdash\b[^"]*"(?: id="card-(\w+)")? data-width="(\d)"[^>]*>\s*(?:<h2 id="([\w-]+)")?/g
    )
    return [...cards].map(([, name, width, heading]) => `${name ?? heading ?? 'other'} ${width}`)
  }

  test('[G2] users arrange their own dashboard: add, remove, order and width', async ({
    assert,
  }) => {
    const form = new URLSearchParams([
      ['order', 'sailors_note'],
      ['order', 'crossings'],
      ['order', 'site.models'],
      ['cards', 'crossings'],
      ['cards', 'sailors_note'],
      ['width.crossings', '3'],
      ['width.sailors_note', '9'],
    ])
    const { status, headers } = await sendForm(ARRANGE, form.toString(), { cookie })
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/admin')
    const page = await open('/admin')
    assert.deepEqual(cardsIn(page.text), ['sailors_note 1', 'crossings 3'])
    const al = await cookiesOf(await makeUser('al'))
    const others = await open('/admin', al)
    assert.include(cardsIn(others.text)[0], 'dashboard-models 4')

    const shown = await open(ARRANGE)
    const order = [...shown.text.matchAll(/name="order" value="([^"]*)"/g)].map(([, name]) => name)
    assert.deepEqual(order.slice(0, 2), ['sailors_note', 'crossings'])
    assert.include(order, 'site.models')
    assert.match(shown.text, /name="cards" value="crossings" checked/)
    assert.notMatch(shown.text, /name="cards" value="site.models" checked/)

    await sendForm(ARRANGE, 'reset=1', { cookie })
    const usual = await open('/admin')
    assert.include(cardsIn(usual.text)[0], 'dashboard-models 4')
  })

  test('[G2] without JavaScript, the buttons Up and Down reorder the cards in the form without saving', async ({
    assert,
  }) => {
    const form =
      'order=crossings&order=sailors_note&cards=crossings&width.crossings=2&up=sailors_note'
    const { status, text } = await sendForm(ARRANGE, form, { cookie })
    assert.equal(status, 200)
    const order = [...text.matchAll(/name="order" value="([^"]*)"/g)].map(([, name]) => name)
    assert.deepEqual(order.slice(0, 2), ['sailors_note', 'crossings'])
    assert.match(text, /value="sailors_note"[^>]*autofocus/)
    assert.match(text, /<option value="2" selected>/)
    assert.isEmpty(await db.from('admin_preferences').where('name', 'dashboard'))
  })

  test('[G2] superusers set the default dashboard of a role, which its users can replace', async ({
    assert,
  }) => {
    const own = await withRole({ Crossing: { actions: ['view'] }, cards: ['*'] })
    const role = await roleIdOf('Sailor')
    const form = `role=${role}&order=crossings&order=site.models&cards=crossings&width.crossings=4`
    const stored = await sendForm(ARRANGE, form, { cookie })
    assert.equal(stored.status, 303)
    assert.deepEqual(cardsIn(await textOf('/admin', own)), ['crossings 4'])
    const shown = await open(`${ARRANGE}?role=${role}`)
    assert.match(shown.text, /name="cards" value="crossings" checked/)

    await sendForm(ARRANGE, 'order=sailors_note&cards=sailors_note', { cookie: own })
    assert.deepEqual(cardsIn(await textOf('/admin', own)), ['sailors_note 1'])
    await sendForm(ARRANGE, 'reset=1', { cookie: own })
    assert.deepEqual(cardsIn(await textOf('/admin', own)), ['crossings 4'])
    await sendForm(ARRANGE, `role=${role}&reset=1`, { cookie })
    assert.include(cardsIn(await textOf('/admin', own))[0], 'dashboard-models')
  })

  test('[G2, B13] only superusers can see and set default dashboards of roles', async ({
    assert,
  }) => {
    const own = await withRole({ Crossing: { actions: ['view'] }, cards: ['*'] })
    const role = await roleIdOf('Sailor')
    const shown = await open(ARRANGE, own)
    assert.equal(shown.status, 200)
    assert.notInclude(shown.text, '?role=')
    assert.equal(await statusOf(`${ARRANGE}?role=${role}`, own), 403)
    const form = `role=${role}&order=crossings&cards=crossings`
    assert.equal(await formStatus(ARRANGE, form, { cookie: own }), 403)
    assert.isEmpty(await db.from('admin_role_dashboards'))
    assert.equal(await statusOf(`${ARRANGE}?role=99999`), 404)
    assert.equal(await statusOf(`${ARRANGE}?role=x`), 404)
  })

  test('[G2] a saved arrangement of the dashboard omits cards that the user can no longer see', async ({
    assert,
  }) => {
    const own = await withRole({ Crossing: { actions: ['view'] }, cards: ['crossings'] })
    const form = 'order=crossings&cards=crossings&order=states_chart&cards=states_chart'
    await sendForm(ARRANGE, form, { cookie: own })
    assert.deepEqual(cardsIn(await textOf('/admin', own)), ['crossings 1'])
  })

  test('[G2] the application does not start if a card has an invalid option', async ({
    assert,
  }) => {
    const make = (Base: any, members: Record<string, unknown>) => {
      class Odd extends Base {
        label = 'Odd'
        model = 'Crossing'
        groupBy = 'state'
        text = ''
        constructor() {
          super()
          Object.assign(this, members)
        }
      }
      return () => addCard(site, Odd as never)
    }
    assert.throws(make(NumberCard, { label: '' }), /The card Odd: label is ''/)
    assert.throws(
      make(NumberCard, { model: 'Ghost' }),
      /model 'Ghost', which the site does not have/
    )
    assert.throws(make(NumberCard, { select: 'median:fare' }), /select is 'median:fare'/)
    assert.throws(make(ChartCard, { select: 'max:fare' }), /select is 'max:fare'/)
    assert.throws(make(ChartCard, { period: 'today' }), /period is 'today', and must be/)
    assert.throws(make(NumberCard, { select: 'sum:fares' }), /select names fares, which is not/)
    assert.throws(make(ChartCard, { kind: 'pie' }), /kind is 'pie', and must be/)
    assert.throws(make(ChartCard, { groupBy: 'nothing' }), /groupBy names nothing/)
    assert.throws(make(ChartCard, { groupBy: ['state', 'port'] }), /which only the kind 'stacked'/)
    assert.throws(make(TextCard, { text: 5 }), /text is 5/)
    assert.throws(make(NumberCard, { seconds: 0 }), /seconds is 0/)
    assert.throws(make(NumberCard, { name: 'a.b' }), /name is 'a\.b'/)
    assert.throws(
      make(NumberCard, { name: 'crossings' }),
      /Odd and CrossingsCard are both named 'crossings'/
    )
    assert.isUndefined(site.cards.get('odd'))
    assert.instanceOf(site.cards.get('crossings'), CrossingsCard)
    assert.instanceOf(site.cards.get('states_chart'), StatesChart)
  })
})
