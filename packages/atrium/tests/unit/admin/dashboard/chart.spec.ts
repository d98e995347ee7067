import { test } from '@japa/runner'
import { recordsChart } from '#admin/dashboard/chart'

const texts = { title: 'Records', description: 'One bar a day' }

function days(count: number, countOf: (index: number) => number) {
  return Array.from({ length: count }, (_, index) => ({
    day: new Date(Date.UTC(2026, 9, 23 + index)).toISOString().slice(0, 10),
    count: countOf(index),
  }))
}

function bars(svg: string) {
  return [
    ...svg.matchAll(/<rect class="chart-bar" x="(.+?)%" y="(.+?)" width="(.+?)%" height="(.+?)"/g),
  ].map(([, x, y, width, height]) => ({ x: +x, y: +y, width: +width, height: +height }))
}

test.group('recordsChart', () => {
  test('the chart has a bar for each of 30 days, in proportion and inside the plot [B23]', ({
    assert,
  }) => {
    const drawn = bars(
      recordsChart(
        days(30, (index) => index + 1),
        texts
      )
    )

    assert.lengthOf(drawn, 30)
    for (const [index, { x, y, width, height }] of drawn.entries()) {
      assert.approximately(height, (drawn[29].height * (index + 1)) / 30, 1)
      assert.isAtLeast(x, index === 0 ? 0 : drawn[index - 1].x + drawn[index - 1].width)
      assert.isAtMost(x + width, 100.02)
      assert.isAtLeast(y, 0)
      assert.approximately(y + height, 180, 0.02)
    }
  })

  test('without records the chart has an axis and no bars', ({ assert }) => {
    const svg = recordsChart(
      days(30, () => 0),
      texts
    )

    assert.lengthOf(bars(svg), 0)
    assert.notInclude(svg, 'NaN')
    assert.deepEqual(
      [...svg.matchAll(/text-anchor="end">(.+?)</g)].map(([, label]) => label),
      ['0', '1']
    )
  })

  test('in the chart, a day with one record is visible next to a day with thousands', ({
    assert,
  }) => {
    const drawn = bars(
      recordsChart(
        days(30, (index) => (index === 12 ? 10_432 : index % 9 ? 0 : 1)),
        texts
      )
    )

    assert.lengthOf(drawn, 5)
    assert.deepEqual(new Set(drawn.map(({ height }) => height >= 2)), new Set([true]))
  })

  test('the chart has all its bars and readable labels for {days} days')
    .with([
      { days: 0, labels: 0 },
      { days: 1, labels: 1 },
      { days: 7, labels: 7 },
      { days: 30, labels: 6 },
      { days: 365, labels: 6 },
    ])
    .run(({ assert }, { days: count, labels }) => {
      const svg = recordsChart(
        days(count, (index) => index % 5),
        texts
      )

      assert.notMatch(svg, /NaN|Infinity|undefined/)
      assert.lengthOf([...svg.matchAll(/text-anchor="middle"/g)], labels)
    })

  test('the labels of the chart are days in UTC, up to the last one, and numbers of the locale', ({
    assert,
  }) => {
    const svg = recordsChart(
      [
        { day: '2026-11-20', count: 1200 },
        { day: '2026-11-21', count: 3 },
      ],
      texts
    )

    assert.include(svg, '<title>20 Nov: 1,200</title>')
    assert.include(svg, 'text-anchor="middle">21 Nov</text>')
    assert.include(
      recordsChart([{ day: '2026-11-20', count: 1200 }], { ...texts, locale: 'de' }),
      '1.200'
    )
  })

  test('the chart is one image with name and description, coloured by classes only', ({
    assert,
  }) => {
    const svg = recordsChart(
      days(3, () => 1),
      texts
    )

    assert.match(
      svg,
      /^<svg [^>]*role="img" aria-labelledby="([\w-]+)" aria-describedby="([\w-]+)"/
    )
    assert.include(svg, '<title id="records-chart-title">Records</title>')
    assert.include(svg, '<desc id="records-chart-description">One bar a day</desc>')
    assert.notMatch(svg, /style=|fill=|stroke=/)
  })

  test('every text of the chart is escaped', ({ assert }) => {
    const evil = `<script>"x" & 'y'</script>`
    const svg = recordsChart([{ day: evil, count: 1 }], { title: evil, description: evil })
    const escaped = '&lt;script&gt;&quot;x&quot; &amp; &#x27;y&#x27;&lt;/script&gt;'

    assert.notInclude(svg, '<script')
    assert.equal(svg.split(escaped).length - 1, 4)
  })
})
