"""Words that say little about a subject, per language, as people write them; `words` compares them normalised.

A function word or a generic word of a label does not count as evidence for or against its brief. A common word counts against
a brief that lacks it, but its occurrence there shows nothing. Function and generic words show in which language a text is.
"""

from typing import Final

FUNCTION_WORDS: Final[dict[str, str]] = {
    "en": """
        a about above across after again against all almost alone along already also although always among an and
        another any are around as at away back be because been before being below best better between both but by can
        cannot come could did do does done down during each either else enough even ever every few first for from get
        give go going good had has have having he her here him his how i if in instead into is it its itself just keep
        last least less like made make many may me might more most much must my near need neither never next no nobody
        none nor not nothing now of off often on once one only onto or other others our out over own per please
        quite rather same say see seem several she should since so some something soon still stay such take than that
        the their them then there these they thing this those though through to together too toward towards under
        until up upon us very via was we well were what when where whether which while who whole whose why will with
        within without would yes yet you your two three four five six seven eight nine ten twenty thirty sixty hundred
        thousand million half third quarter
    """,
    "de": """
        aber alle allem allen aller alles als also am an auch auf aus außerdem bei beide beim bereits bis bisher da
        dabei damit dann darf das dass dem den denn der deren des dessen die dies diese diesem diesen dieser dieses
        doch dort durch ein eine einem einen einer eines er es etwa für gegen gegenüber haben hat hatte hier ich ihm
        ihn ihr ihre ihrem ihren ihrer im in ins ist ja je jede jedem jeden jeder jedes jetzt kann kein keine keinen
        können könnte man mehr mein mit muss müssen nach neben nicht nichts noch nun nur ob oder ohne pro rund sehr
        sein seine sich sie sind so sollen sonst sowie statt über um und uns unser unsere unserem unseren unserer
        unter vom von vor war was weil wenn wer werden wie wieder will wir wird wo wollen wurde würde zu zum zur
        zwischen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend million millionen mio mrd
        halb hälfte drittel viertel
    """,
    "fr": """
        à au aux avec ce ces cette comme dans de des du elle en est et être il ils je la le les leur leurs mais ne nos
        notre nous on ou où par pas plus pour qu que qui sa sans se ses si son sont sous sur un une vers vos votre
        vous
    """,
    "es": """
        a al como con de del desde el ella en entre es esta este hasta la las lo los más nos nuestra nuestro o para
        pero por que se si sin sobre su sus un una y ya
    """,
    "ar": """
        أبكر أكثر ألا أن أو أي إلا إلى إن الآن التي الذي الذين العام بعد بعض بها به بين تلك ثم حتى حين خلال ذلك عام على
        عن عند غير في فيها قبل قد كان كانت كذلك كل كما كيف لأن لا لدينا لم لن لنا له ما مثل مع من منها نحن نحو نفسه
        هذا هذه هل هم هو هي يكون يمكن
    """,
}
"""Function words by language code."""

GENERIC_WORDS: Final[dict[str, str]] = {
    "en": """
        status quo cost revenue profit price quality risk growth market demand supply competition competitor customer
        satisfaction level rate number share total average annual yearly monthly weekly daily year month week day time
        increase decrease change improve improvement reduce current present existing new high low large small external
        internal factor option outcome goal target decision choice plan strategy strategic performance efficiency
        impact resource budget capacity value investment overall key main success result driver status business
        availability operational condition approach effect issue problem project alternative stakeholder alignment
        excellence engagement productivity uncertainty implementation execution organisational organizational
        organisation organization regulatory regulation economic economy environment management process solution
        initiative objective opportunity challenge benefit expense spending income sales product service team staff
        employee operation development innovation process focus long short term best case scenario variable element
        driver lever node measure metric desired expected potential general specific important relevant various
        primary secondary first second final maximum minimum maximize minimize optimize achieve ensure maintain keep
        baseline nothing path course action thing factor label example
    """,
    "de": """
        kosten umsatz gewinn preis qualität risiko wachstum markt nachfrage angebot wettbewerb kunde kunden
        zufriedenheit niveau rate anzahl zahl anteil summe durchschnitt jährlich monatlich jahr jahre jahren monat
        monate monaten woche tag zeit steigern senken ändern verbessern reduzieren heute heutig neu neue hoch niedrig
        groß klein extern intern faktor option ergebnis ziel entscheidung wahl plan strategie leistung effizienz
        wirkung ressource budget kapazität wert investition gesamt erfolg status
    """,
    "fr": """
        coût revenu profit prix qualité risque croissance marché demande offre concurrence client satisfaction niveau
        taux nombre part total annuel mensuel année mois semaine jour temps facteur option résultat objectif décision
        choix stratégie performance budget capacité valeur investissement succès
    """,
    "es": """
        coste costo ingreso beneficio precio calidad riesgo crecimiento mercado demanda oferta competencia cliente
        satisfacción nivel tasa número total anual mensual año mes semana día tiempo factor opción resultado objetivo
        decisión elección estrategia rendimiento presupuesto capacidad valor inversión éxito
    """,
    "ar": """
        تكلفة تكاليف إيرادات ربح أرباح سعر جودة خطر مخاطر نمو سوق طلب عرض منافسة عميل عملاء رضا مستوى معدل عدد نسبة
        إجمالي متوسط سنوي شهري سنة شهر أسبوع يوم وقت زيادة تخفيض تغيير تحسين حالي جديد خارجي داخلي عامل خيار نتيجة هدف
        قرار استراتيجية أداء كفاءة أثر موارد ميزانية قيمة استثمار وضع
    """,
    "ja": """
        費用 売上 利益 価格 品質 成長 市場 需要 供給 競争 顧客 満足 満足度 水準 割合 合計 平均 年間 月間 時間 増加 減少
        変更 改善 現在 現状 維持 新規 外部 内部 要因 選択 選択肢 結果 目標 目的 決定 意思決定 戦略 効果 効率 影響 資源
        予算 能力 価値 投資 成功 リスク コスト
    """,
}
"""Words of any business that carry no subject of their own, by language code."""

COMMON_WORDS: Final[dict[str, str]] = {
    "en": """
        ability accelerate acceptance accuracy achievement acquire acquisition adapt adjustment adoption advantage
        aggressive agility alliance allocation approval asset attrition automation awareness balance barrier brand
        buffer capability capital cash centralise climate collaboration communication company compliance complexity
        confidence conservative consumer control cooperation coordination coverage creation culture deadline delay
        delivery demographic deploy digital direction disruption distribution diversify diversification effectiveness
        effort enhance equipment escalate expand expansion expectation expenditure experience expertise failure
        feasibility finance financial flexibility flow fund funding gain global governance headcount hybrid
        incremental industry inflation infrastructure input institution integration interest invest knowledge labour
        labor launch leadership learning legal leverage loss loyalty macroeconomic margin mature mitigation model
        moderate modernise morale motivation negative network operate outlay output outsource overhead overrun owner
        participation partner partnership perception phase pilot policy portfolio position positive preference
        pressure priority procurement profitability programme program proposal provider purchase quantity radical
        readiness recruit redesign reform relationship reliability reputation reputational requirement research
        resilience resistance response restructure retain retention return reward roadmap rollout safety saving
        scalability scale scope sector segment selection sentiment setup shareholder shift shortage shortfall skill
        social speed stability staffing stage standard supplier support sustainable sustainability system tactic
        talent technical technology timeline timing tool training transformation transition transparency trend trust
        turnover uptake upgrade usage user utilisation utilization vendor viability volatility volume wait welfare
        willingness workflow workforce workload
    """,
    "de": """
        ablauf absatz akzeptanz anbieter anpassung anreiz arbeit attraktivität aufwand ausbau ausgaben auslagerung
        auslastung automatisierung bedarf bedingung belastung belegschaft betrieb dienstleister dienstleistung
        digitalisierung durchführung effekt einführung einnahmen einsatz einsparung entwicklung erlös ertrag
        erweiterung expansion fachkräfte finanzierung flexibilität fluktuation führung gesellschaft geschäft haushalt
        image infrastruktur innovation investieren kapital kauf kommunikation komplexität konjunktur kooperation
        kultur langfristig liquidität loyalität marge marke maßnahme mitarbeiter mitarbeitende modell modernisierung
        motivation nachhaltigkeit nutzen nutzung optimierung organisation partner partnerschaft personal planung
        politik produktivität prozess rahmen regulierung reichweite rendite rentabilität reputation risiken rücklage
        ruf schulung sicherheit stabilität stakeholder standort stufenweise struktur system technik technologie trend
        umfeld umsetzung unternehmen variante veränderung vergütung verlust verzögerung vertrauen vertrieb volumen
        vorgehen wandel weiter weiterbildung wirtschaft wirtschaftlichkeit zinsen zukunft zusammenarbeit
        zuverlässigkeit überschreitung
    """,
    "ja": """
        案 意欲 運営 円滑 遅延 外部委託 拡大 拡張 段階的 導入 開発 環境 管理 企業 技術 規制 業務 経営
        計画 景気 経済 研修 原価 効用 雇用 差別化 再編 事業 資金 資本 持続 従業員 収益 収益性 縮小
        人材 人件費 人員 推進 生産性 製品 設備 組織 対応 対策 多角化 調達 賃金 提携 動向 取引 認知度
        能率 販売 判断 評判 便益 方針 満足感 予算超過 利便性 流動性 連携 労働 ブランド サービス システム
        デジタル モデル プロセス
    """,
    "ar": """
        آلية أتمتة أسلوب أصحاب إدارة إنتاج إنتاجية إنفاق استدامة استعانة استقرار اقتصاد اقتصادي التزام برنامج بنية
        بيئة تأخير تحول تدريب تدريجي تسويق تشغيل تطوير تقدم تقنية تمويل تنافسي تنفيذ تنويع توافر توسع توسيع توظيف ثقة
        جدوى جهد حصة حكومة خبرة خدمة خدمات دخل دعم دوران رأس مال ربحية رقمي رواتب سلسلة سمعة سياسة سيولة شراكة شركة
        شريك صعوبة طويل عائد علامة عمالة عمل عمليات فائدة فريق فشل قدرة قطاع كلفة مالي مبيعات متعاقد مجتمع مرونة مشروع
        مصلحة معدات منتج مناخ منشأة مهارات مواد مورد موظف موظفين نجاح نظام نفقات هيكل ولاء
    """,
}
"""Words of management that many briefs share and that labels of no subject are made of, by language code."""
