//! Tests of the reader.

use super::*;

const TWO: &str = r#"<!-- license -->
<?xml version="1.0"?>
<SteerBenchTestCase xmlns="http://example.org/steerbench">
  <header><version>1.0</version><name>two</name><worldBounds>
    <xmin>-9</xmin><xmax>9</xmax><ymin>0</ymin><ymax>0</ymax><zmin>-5</zmin><zmax>5</zmax>
  </worldBounds></header>
  <agent>
    <name>A</name>
    <initialConditions><radius>0.5</radius>
      <position><x>-8</x><y>0</y><z>1</z></position>
      <direction><x>2</x><y>0</y><z>0</z></direction><speed>0.3</speed>
    </initialConditions>
    <goalSequence>
      <seekStaticTarget><targetLocation><x>8</x><y>0</y><z>2</z></targetLocation>
        <desiredSpeed>1.3</desiredSpeed><timeDuration>1000</timeDuration></seekStaticTarget>
      <seekAxisAlignedBoxRegion><targetLocation><x>0</x><y>0</y><z>0</z></targetLocation>
        <desiredSpeed>1.5</desiredSpeed><goalRegionBounds>
        <xmin>-1</xmin><xmax>1</xmax><ymin>0</ymin><ymax>0</ymax><zmin>-2</zmin><zmax>2</zmax>
        </goalRegionBounds></seekAxisAlignedBoxRegion>
    </goalSequence>
  </agent>
  <agentRegion>
    <numAgents>20</numAgents>
    <regionBounds>
      <xmin>3</xmin><xmax>9</xmax><ymin>0</ymin><ymax>0</ymax><zmin>-5</zmin><zmax>5</zmax>
    </regionBounds>
    <initialConditions><direction><random>true</random></direction><radius>0.4</radius>
      <speed>0</speed></initialConditions>
    <goalSequence>
      <seekStaticTarget><targetLocation><x>-8</x><y>0</y><z>0</z></targetLocation>
        <desiredSpeed>1.3</desiredSpeed></seekStaticTarget>
    </goalSequence>
  </agentRegion>
  <obstacle>
    <xmin>3</xmin><xmax>6</xmax><ymin>0</ymin><ymax>1</ymax><zmin>-5</zmin><zmax>0</zmax>
  </obstacle>
  <circleObstacle><radius>1.5</radius><height>1</height>
    <position><x>0</x><y>0</y><z>3</z></position></circleObstacle>
  <fountain/>
  <fountain/>
</SteerBenchTestCase>"#;

#[test]
fn agents_goals_and_obstacles_are_read() {
    let (case, warnings) = read("two", TWO).unwrap();
    assert_eq!(case.bounds, Rect::new(-9.0, -5.0, 9.0, 5.0));
    let first = &case.walkers[0];
    assert_eq!(first.position, Vec2::new(-8.0, 1.0));
    assert_eq!((first.heading, first.speed), (Vec2::X, 0.3));
    assert_eq!(first.goals[0].target, Vec2::new(8.0, 2.0));
    assert_eq!(first.goals[1].area, Some(Rect::new(-1.0, -2.0, 1.0, 2.0)));
    assert_eq!(first.goals[1].pace, 1.5);
    assert_eq!(case.obstacles.len(), 2);
    assert_eq!(warnings, ["39: <fountain> is unknown and ignored"]);
}

#[test]
fn walkers_in_a_region_start_without_contacts() {
    let (case, _) = read("two", TWO).unwrap();
    assert_eq!(case.walkers.len(), 21);
    for (i, walker) in case.walkers.iter().enumerate().skip(1) {
        let place = walker.position;
        assert!(Rect::new(3.0, -5.0, 9.0, 5.0).contains(place));
        assert!(
            case.obstacles
                .iter()
                .all(|thing| thing.distance(place) > walker.radius)
        );
        let others = case.walkers[..i].iter();
        let mut gaps = others.map(|it| it.position.distance(place) - it.radius - walker.radius);
        assert!(gaps.all(|gap| gap > 0.0));
    }
    assert_eq!(
        case,
        read("two", TWO).unwrap().0,
        "the same text gives the same starts"
    );
}

#[test]
fn errors_name_the_line() {
    let error = |text: &str| read("x", text).unwrap_err();
    let broken = error("<SteerBenchTestCase>\n<agent>\n</SteerBenchTestCase>");
    assert_eq!(broken.line, Some(3), "{broken}");
    let no_number = error(&TWO.replace("<x>-8</x>", "<x>left</x>"));
    assert_eq!(no_number.to_string(), "10: <x> is \"left\", not a number");
    let no_whole_number = error(&TWO.replace(">20<", ">2.7<"));
    let reason = "23: <numAgents> is 2.7, not a whole number";
    assert_eq!(no_whole_number.to_string(), reason);
    let lacking = error(&TWO.replace("<radius>1.5</radius>", ""));
    assert!(lacking.reason.contains("lacks its <radius>"), "{lacking}");
    let other = error("<svg/>");
    assert!(other.reason.contains("<svg>"), "{other}");
    let missing = read_file(Path::new("no/such/file.xml")).unwrap_err();
    assert!(
        missing.to_string().starts_with("no/such/file.xml: "),
        "{missing}"
    );
}

#[test]
fn walkers_on_one_spot_are_refused_if_they_are_too_many() {
    let agent = "<agent><initialConditions><radius>0.5</radius>\
        <position><x>3</x><y>0</y><z>0</z></position><speed>0</speed></initialConditions>\
        <goalSequence><seekStaticTarget><targetLocation><x>9</x><y>0</y><z>0</z></targetLocation>\
        <desiredSpeed>1</desiredSpeed></seekStaticTarget></goalSequence></agent>";
    let crowd = |count: usize| {
        let agents = agent.repeat(count);
        let text = format!("<SteerBenchTestCase>{agents}</SteerBenchTestCase>");
        read("spot", &text).map(|(case, _)| case.walkers.len())
    };
    // 3,162 walkers are 4,997,541 pairs.
    assert_eq!(crowd(3_162), Ok(3_162));
    let error = crowd(3_163).unwrap_err();
    assert_eq!(error.line, Some(1));
    assert!(error.reason.contains("pairs of walkers"), "{error}");
}
